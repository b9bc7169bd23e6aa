import CarillonClock
import CarillonCore
import CarillonDelivery
import CarillonTransport
import Logging
import NIOCore
import NIOPosix

/// Carries out the actions that the engine asks for: reads, writes, alarms, timers.
extension DeliveryService {
    /// Calls the engine under its lock, and carries out the actions after the lock is released.
    func callEngine(_ body: (inout DeliveryEngine) -> Void) {
        let (actions, apps, deadline) = takeActions(after: body)
        if actions.readsQueues { readQueues() }
        for read in actions.messageReads { readMessages(read) }
        for read in actions.pageReads { readPage(read) }
        if !actions.records.isEmpty { write(zip(actions.records, apps).map { .outcomes($0, of: $1) }) }
        for message in actions.finishedMessages { finish(message) }
        if !actions.endedBlocks.isEmpty { claims?.end(actions.endedBlocks) }
        if actions.needsPages { claims?.planClaimsSoon() }
        for alarm in actions.alarmReports { reporter.report(alarm) }
        if !actions.parkedPools.isEmpty {
            for pool in openPools(actions.parkedPools) { pool.drainAllConnections() }
        }
        if !actions.poolsToWake.isEmpty {
            for pool in openPools(actions.poolsToWake) { pool.wake() }
        }
        if let deadline { setTimer(deadline) }
    }

    private func readQueues() {
        readThreads.submit { [self] state in
            guard case .active = state else { return }
            do throws(RegistryError) {
                let queues = try registry.outboxQueues()
                callEngine { $0.queuesRead(queues) }
            } catch {
                logger.critical("the outbox cannot be read", metadata: ["error": "\(error)"])
                loop.scheduleTask(in: Self.tick) { [weak self] in self?.callEngine { $0.queuesUnreadable() } }
            }
        }
    }

    private func readMessages(_ request: DeliveryEngine.Actions.MessagesRead) {
        readThreads.submit { [self] state in
            guard case .active = state else { return }
            do throws(RegistryError) {
                let member = claims?.sendingMember
                var page = try registry.unfinishedMessages(
                    in: request.queue, after: request.after, limit: request.limit)
                reporter.report(page.unreadable)
                callEngine { engine in
                    if let claims {
                        page.messages = claims.messagesToSend(among: page.messages, readAs: member, in: engine)
                    }
                    engine.messagesRead(
                        page.messages, upTo: page.last, of: request.queue, isEnd: page.isEnd, at: Clock.now())
                }
            } catch {
                logger.critical("the outbox cannot be read", metadata: ["error": "\(error)"])
                // The engine asks again later. Until then it goes on with the messages in memory.
                loop.scheduleTask(in: Self.tick) { [weak self] in
                    self?.callEngine { $0.messagesRead([], of: request.queue, isEnd: false, at: Clock.now()) }
                }
            }
        }
    }

    private func readPage(_ read: DeliveryEngine.Actions.PageRead) {
        guard registry.isSnapshotCurrent else {
            // The read does not block a thread while it waits for the writer. Otherwise many messages to a few devices
            // would wait for each other.
            return registry.submitPageRead(of: read.message, page: read.page, isNext: read.isNext) { [self] page in
                readThreads.submit { [self] state in
                    if case .active = state { pageRead(Result(catching: page), of: read) }
                }
            }
        }
        readThreads.submit { [self] state in
            guard case .active = state else { return }
            pageRead(
                Result { () throws(RegistryError) in
                    read.isNext
                        ? try registry.nextPage(of: read.message, from: read.page)
                        : try registry.pendingRecipients(of: read.message, page: read.page)
                }, of: read)
        }
    }

    private func pageRead(_ result: Result<RecipientPage?, RegistryError>, of read: DeliveryEngine.Actions.PageRead) {
        switch result {
        case .success(let page): callEngine { $0.pageRead(page, for: read, at: Clock.now()) }
        case .failure(.overloaded): loop.scheduleTask(in: Self.tick) { [self] in readPage(read) }
        case .failure(let error):
            logger.critical(
                "recipients cannot be read",
                metadata: ["message": "\(read.message)", "page": "\(read.page)", "error": "\(error)"])
            // The recipients of the page stay pending in the outbox; other messages must not wait for them.
            callEngine { $0.pageUnreadable(read, at: Clock.now()) }
        }
    }

    /// Puts the scheduled messages that are due into the outbox, if this is the node that releases them.
    func releaseScheduledMessages() {
        guard node?.runsSharedTasks ?? true else { return }
        scheduledMessages.release(at: Clock.wallTime()) { [self] in messageStored($0) }
    }

    private func finish(_ message: MessageID) {
        registry.submit(.finish(message, now: Clock.wallTime()), deadline: nil) { [self] result in
            switch result {
            case .failure(let error) where error.isTransient:
                loop.scheduleTask(in: Self.tick) { [self] in finish(message) }
            case .success(.messageChecked(isFinished: false)):
                logger.error(
                    "a message is not finished: it has pending recipients", metadata: ["message": "\(message)"])
            case .success, .failure(.closed):
                break
            case .failure(let error):
                logger.critical("a message cannot be finished", metadata: ["error": "\(error)"])
            }
        }
    }
}
