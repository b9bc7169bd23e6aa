package import CarillonCore

/// Takes messages into memory, and removes them.
///
/// A message in memory is a `LoadedMessage`; `properties` are the fields that its deliveries need. A loaded message is
/// - *suspended* while all its recipients wait for a time, and all its pages are out of memory;
/// - *unloading* once the message is to leave the memory: the answers that are awaited still come, and recipients
///   without an outcome stay pending on disk;
/// - *incomplete* once a recipient was kept on disk: then it is not finished when it leaves the memory;
/// - *returning* if the message enters memory again as soon as it has left it.
extension DeliveryEngine {
    /// Called when the names of the outbox's queues were read.
    package mutating func queuesRead(_ queues: Set<OutboxQueue>) {
        messages.queuesRead(queues, pages: pages)
    }

    /// Called when the queues could not be read; they are asked for again.
    package mutating func queuesUnreadable() {
        messages.queuesUnreadable()
    }

    /// Called when a message was accepted or resumed. It is taken into memory if there is room; otherwise it is read
    /// from the outbox later.
    package mutating func messageAccepted(_ outbound: OutboundMessage, at now: Moment) {
        if let properties = messages.properties(of: outbound.id) {
            // Resumed before it has left the memory: it returns.
            if properties.isUnloading { messages[outbound.id]?.setReturning(outbound) }
            return
        }
        if messages.accept(outbound) == .intoMemory { insert(outbound, at: now) }
    }

    /// Takes the messages of the outbox after the one that was asked for.
    ///
    /// - Parameters:
    ///   - last: the last message that was looked at, if that is not the last of `found`.
    ///   - isEnd: true if the queue has no message after it.
    package mutating func messagesRead(
        _ found: [OutboundMessage], upTo last: MessageID? = nil, of queue: OutboxQueue, isEnd: Bool, at now: Moment
    ) {
        for outbound in messages.readEnded(of: queue, found: found, upTo: last, isEnd: isEnd) {
            insert(outbound, at: now)
        }
        messages.forgetIfIdle(queue, in: pages)
    }

    private mutating func insert(_ outbound: OutboundMessage, at now: Moment) {
        guard messages.properties(of: outbound.id) == nil else { return }
        let loaded = LoadedMessage(outbound, notAfter: outbound.notAfter ?? policy.phoneCallEnd(of: outbound), at: now)
        messages.insert(loaded)
        messages.requestPage(of: outbound.id)
    }

    /// Removes a message that has no due recipient, if many others of its queue are in memory.
    ///
    /// A queue stops when its share of the memory is taken. A thousand messages to one device whose token is throttled,
    /// or whose silent-push budget is used up, must not keep all others waiting for an hour.
    mutating func removeIfSuspended(_ id: MessageID, at now: Moment) {
        guard let loaded = messages[id], let due = loaded.rereadTimeIfRemoved(at: now), messages.isCrowded(loaded.queue)
        else {
            return
        }
        messages.scheduleReread(of: loaded.queue, at: due)
        pages.pagesResumed(loaded.suspendedPages.count)
        messages.remove(loaded)
    }

    /// Removes a message whose work has ended and is on disk. Then a message to a live audience is finished, a
    /// returning one enters memory again, and one that waits for a pool is read again when its time is over.
    mutating func removeIfDone(_ id: MessageID, at now: Moment) {
        guard messages.isDone(id), let loaded = messages[id] else { return }
        messages.remove(loaded)
        if loaded.isFinishedOnRemoval { actions.finish(id) }
        if loaded.isIncomplete, !loaded.properties.isUnloading,
            let end = pools.availability.endOfLeftRecipients(of: loaded.properties, at: now)
        {
            messages.scheduleReread(of: loaded.queue, at: end)
        }
        if let outbound = loaded.returning?.value { messageAccepted(outbound, at: now) }
        messages.forgetIfIdle(loaded.queue, in: pages)
        pages.forgetChangesIfEmpty()
    }

    /// Reads all incomplete messages again from the outbox: recipients that were kept on disk may be sent to now.
    mutating func readPendingAgain(at now: Moment) {
        for id in messages.all.filter({ $0.value.isIncomplete }).keys.sorted() {
            guard let loaded = messages[id], !loaded.properties.isUnloading else { continue }
            // A read from the beginning of the message finds its pending recipients.
            unload(id, returning: loaded.outbound, at: now)
        }
        messages.rereadAll()
    }

    /// Removes all messages from memory once their work has ended: pushes on the wire still come back, and their
    /// outcomes are written.
    package mutating func unloadAll(at now: Moment) {
        for id in messages.all.keys.sorted() { unload(id, returning: nil, at: now) }
    }

    /// Removes a message from memory once its work has ended.
    ///
    /// - Parameter returning: the message as it then enters memory again; nil if it does not.
    mutating func unload(_ id: MessageID, returning: OutboundMessage?, at now: Moment) {
        guard messages.properties(of: id) != nil else { return }
        messages[id]?.unload(returning: returning)
        endWaiting(of: id, at: now)
    }

    /// Lets no recipient of a message wait any more, if the message was cancelled, its time is over or it is unloading:
    /// the recipients end or stay pending on disk. Suspended pages that must end are read again for it.
    mutating func endWaiting(of id: MessageID, at now: Moment) {
        guard let loaded = messages[id] else { return }
        let outcome = loaded.properties.finalOutcome(at: now)
        // The recipients of its first page need only an outcome, so messages that have something to send go before it.
        if loaded.needsFirstPage && outcome != nil { messages.yieldFirstPage(of: id) }
        for number in loaded.openPages.sorted() {
            let key = PageKey(message: id, page: number)
            let isInMemory = withPage(key, at: now) { _, page in
                if let outcome {
                    page.endAllWaiting(outcome)
                } else if loaded.properties.isUnloading {
                    page.keepAllWaitingOnDisk()
                }
            }
            guard !isInMemory, loaded.suspendedPages.contains(number) else { continue }
            if loaded.properties.isUnloading {
                pages.pagesResumed()
                messages[id]?.recipientKeptOnDisk(in: number)
                close(key)
            } else {
                _ = messages[id]?.requestDuePage(number)
            }
        }
        messages.requestPage(of: id)
        removeIfDone(id, at: now)
    }
}

/// Applies message updates to running messages.
extension DeliveryEngine {
    /// Cancels a message: no delivery is handed out any more, and all recipients that are left get the outcome
    /// `cancelled`. A paused message that is not in memory comes back by `messageAccepted` to get these outcomes.
    package mutating func cancel(_ id: MessageID, at now: Moment) {
        messages.correctRead(of: id, by: .cancel)
        guard messages.properties(of: id) != nil else { return }
        messages[id]?.cancel()
        endWaiting(of: id, at: now)
    }

    /// Removes a message that was paused from memory; it comes back by `messageAccepted`.
    package mutating func pause(_ id: MessageID, at now: Moment) {
        messages.correctRead(of: id, by: .leaveOut)
        unload(id, returning: nil, at: now)
    }

    /// Bounds the deliveries a second of a message in memory, from now on; nil removes the bound. Recipients that are
    /// ready beyond the new bound leave the memory until the pace allows them.
    package mutating func setPace(_ pace: UInt32?, of id: MessageID, at now: Moment) {
        messages.correctRead(of: id, by: .setPace(pace))
        guard let loaded = messages[id] else { return }
        messages[id]?.setPace(pace, at: now)
        for number in loaded.busyPages.sorted() {
            withPage(PageKey(message: id, page: number), at: now) { engine, page in
                engine.keepPacedRecipients(of: &page)
                engine.enqueueReady(&page)
            }
        }
    }

    /// Returns the number of recipients of a message that ended in the last second, approximately; nil if the message
    /// is not in memory.
    package func rate(of id: MessageID, at now: Moment) -> UInt32? {
        messages[id]?.rate(at: now.uptime)
    }
}
