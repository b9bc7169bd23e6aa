package import CarillonCore
package import CarillonDelivery
package import CarillonTransport
package import CoreMetrics
package import Logging
package import NIOCore
package import NIOPosix
import Synchronization

/// Runs the delivery engine: hands its work to the pools, reads pages and writes outcomes for it.
///
/// The engine stands behind one lock; connections come with batches, so the lock is taken once a turn and not once a delivery.
package final class DeliveryService: DeliverySource {
    private let engine: Mutex<DeliveryEngine>
    private let registry: any Registry
    private let reader: NIOThreadPool
    private let loop: any EventLoop
    private let logger: Logger
    private let metrics: OutcomeMetrics
    private let pools = Mutex<[PoolKey: APNsPool]>([:])
    private let timer = Mutex<(at: UInt64, task: Scheduled<Void>)?>(nil)
    private let ticker = Mutex<RepeatedTask?>(nil)
    private let schedule = Mutex(Schedule())
    /// Messages that cannot be read and that the log knows of: their lines are read again and again.
    private let toldUnreadable = Mutex<Set<MessageID>>([])

    /// What is known of messages that wait for their time.
    private struct Schedule {
        /// When the first is due; nil if none waits.
        var next: Timestamp?
        var isReleasing = false
    }

    /// How often messages past their time are looked for, and outcomes that were refused are offered again.
    private static let tick = TimeAmount.seconds(1)
    /// Messages that cannot be read and are remembered; beyond them the log is told again.
    private static let toldUnreadableLimit = 10_000

    /// Makes a service; `start` brings it to life.
    package init(
        registry: any Registry, routes: Routes, reader: NIOThreadPool, loop: any EventLoop, logger: Logger,
        limits: DeliveryEngine.Limits = DeliveryEngine.Limits(), policy: RetryPolicy = RetryPolicy(),
        factory: any MetricsFactory = MetricsSystem.factory
    ) {
        metrics = OutcomeMetrics(factory: factory)
        self.registry = registry
        self.reader = reader
        self.loop = loop
        self.logger = logger
        engine = Mutex(DeliveryEngine(routes: routes, limits: limits, policy: policy, seed: .random(in: 0 ... .max)))
    }

    /// Begins with what the outbox holds; the pools are told with `routesChanged`.
    package func start() {
        let task = loop.scheduleRepeatedTask(initialDelay: Self.tick, delay: Self.tick) { [weak self] _ in
            self?.step { $0.expirePassed(at: Clock.now()) }
            self?.releaseScheduled()
        }
        ticker.withLock { $0 = task }
        // What was due while the server was away is due now.
        scheduled(at: .zero)
        step { _ in }
    }

    /// Hands out nothing more.
    package func stop() {
        step { $0.stop() }
        ticker.withLock { $0?.cancel() }
        timer.withLock { $0?.task.cancel() }
    }

    // MARK: What happens

    /// A message was accepted and is on disk.
    package func messageAccepted(_ entry: OutboxEntry) {
        step { $0.messageAccepted(entry, at: Clock.now()) }
    }

    /// A message was accepted that waits for its time.
    package func scheduled(at time: Timestamp) {
        schedule.withLock { $0.next = min($0.next ?? time, time) }
    }

    /// A message was steered, and that is on disk.
    ///
    /// - Parameter entry: as it stands in the outbox now, if it is to be worked on.
    package func messageUpdated(_ message: MessageID, _ messageUpdate: MessageUpdate, entry: OutboxEntry?) {
        step { engine in
            let now = Clock.now()
            switch messageUpdate {
            case .cancel: engine.cancel(message, at: now)
            case .pause: engine.pause(message, at: now)
            case .resume: break
            case .pace(let pace): engine.setPace(pace, of: message, at: now)
            }
            if let entry { engine.messageAccepted(entry, at: now) }
        }
    }

    /// Devices of a message that have ended in the last second, about; nil if it is not in memory.
    package func rate(of message: MessageID) -> UInt32? {
        engine.withLock { $0.rate(of: message, at: Clock.now()) }
    }

    /// A device was unregistered, has another token, or is in other audiences. Call it before the change is acknowledged.
    package func deviceChanged(_ device: DeviceID, of app: AppID) {
        devicesChanged(.devices([device]), of: app)
    }

    /// Devices are in other audiences. Call it before the change is acknowledged.
    package func devicesChanged(_ affected: MembershipAnswer.Affected, of app: AppID) {
        step { engine in
            switch affected {
            case .devices(let devices): for device in devices { engine.deviceChanged(device, of: app) }
            case .allDevices: engine.allDevicesChanged()
            }
        }
    }

    /// Appends deliveries for a connection's free streams.
    package func pull(for pool: PoolKey, _ limits: PullLimits, into deliveries: inout [Delivery]) {
        step { $0.pull(for: pool, limits, at: Clock.now(), into: &deliveries) }
    }

    /// Takes back what attempts came to.
    package func completed(_ results: [DeliveryResult], for pool: PoolKey) {
        step { $0.completed(results, for: pool, at: Clock.now()) }
    }

    /// The credential of a pool was refused.
    package func stopped(_ pool: PoolKey, by speaker: ObjectIdentifier) {
        if step(pool, if: speaker, { $0.poolStopped(pool, at: Clock.now()) }) {
            publish(Event(at: Clock.now().wall, kind: .credentialRefused, text: "\(pool)"))
        }
    }

    /// A pool has had no connection for a while, or has one again.
    package func reachabilityChanged(of pool: PoolKey, isReachable: Bool, by speaker: ObjectIdentifier) {
        _ = step(pool, if: speaker) { engine in
            let now = Clock.now()
            if isReachable { engine.poolReachable(pool, at: now) } else { engine.poolUnreachable(pool, at: now) }
        }
    }

    /// Steps the engine if `speaker` is the pool of that key now.
    private func step(_ pool: PoolKey, if speaker: ObjectIdentifier, _ body: (inout DeliveryEngine) -> Void) -> Bool {
        var isCurrent = false
        step { engine in
            // Under the engine's lock: the pool that replaces it must not be stopped for the old one's credential.
            isCurrent = pools.withLock { $0[pool]?.identity == speaker }
            if isCurrent { body(&engine) }
        }
        return isCurrent
    }

    /// A connection of a pool works, or one that worked is over.
    package func connectionChanged(of pool: PoolKey, isUp: Bool) {
        publish(Event(at: Clock.now().wall, kind: isUp ? .connectionUp : .connectionDown, text: "\(pool)"))
    }

    /// Apps, credentials or pools have changed: what waits goes the new way. Deliveries that an old pool has in hand come back
    /// from it as ever.
    ///
    /// - Parameter restarted: pools that take the place of others, whose credential may have been refused.
    package func routesChanged(_ routes: Routes, pools: [APNsPool], restarted: Set<PoolKey>) {
        self.pools.withLock { $0 = Dictionary(uniqueKeysWithValues: pools.map { ($0.upstream.key, $0) }) }
        step { engine in
            let now = Clock.now()
            for pool in restarted.sorted(by: { $0.description < $1.description }) {
                engine.poolRestarted(pool, at: now)
            }
            engine.routesChanged(routes, at: now)
        }
    }

    /// What the engine holds in memory.
    package var load: DeliveryEngine.Load { engine.withLock { $0.load } }

    /// What the engine holds in memory by lane, pool and message; of the messages at most `limit`.
    package func overview(limit: Int) -> DeliveryEngine.Overview {
        engine.withLock { $0.overview(limit: limit, at: Clock.now()) }
    }

    /// Devices that have ended since the start, by outcome.
    package var outcomeTotals: [Outcome: UInt64] { metrics.totals }

    // MARK: Effects

    /// Steps the engine under the lock, then does what it asks for outside.
    private func step(_ body: (inout DeliveryEngine) -> Void) {
        let (effects, apps, deadline) = engine.withLock { engine in
            body(&engine)
            let effects = engine.takeEffects()
            return (effects, effects.records.map { engine.app(of: $0.message) }, engine.deadline)
        }
        if effects.readsQueues { readQueues() }
        for request in effects.messages { readMessages(request) }
        for read in effects.reads { readPage(read) }
        for (record, app) in zip(effects.records, apps) { write(record, of: app) }
        for message in effects.finished { finish(message) }
        for alarm in effects.alarms { tell(alarm) }
        if !effects.wake.isEmpty { wake(effects.wake) }
        if let deadline { schedule(deadline) }
    }

    private func wake(_ keys: Set<PoolKey>) {
        let woken = pools.withLock { pools in keys.compactMap { pools[$0] } }
        for pool in woken { pool.wake() }
    }

    private func readQueues() {
        reader.submit { [self] state in
            guard case .active = state else { return }
            do throws(RegistryError) {
                let queues = try registry.outboxQueues()
                step { $0.queuesRead(queues) }
            } catch {
                logger.critical("the outbox cannot be read", metadata: ["error": "\(error)"])
                loop.scheduleTask(in: Self.tick) { [weak self] in self?.step { $0.queuesUnreadable() } }
            }
        }
    }

    private func readMessages(_ request: DeliveryEngine.Effects.MessagesRead) {
        reader.submit { [self] state in
            guard case .active = state else { return }
            do throws(RegistryError) {
                let page = try registry.unfinishedMessages(
                    in: request.queue, after: request.after, limit: request.limit)
                tell(page.unreadable)
                step {
                    $0.messagesRead(
                        page.entries, upTo: page.last, of: request.queue, isEnd: page.isEnd, at: Clock.now())
                }
            } catch {
                logger.critical("the outbox cannot be read", metadata: ["error": "\(error)"])
                // Asked again in a while; what is in memory goes on meanwhile.
                loop.scheduleTask(in: Self.tick) { [weak self] in
                    self?.step { $0.messagesRead([], of: request.queue, isEnd: false, at: Clock.now()) }
                }
            }
        }
    }

    private func readPage(_ read: DeliveryEngine.Effects.Read) {
        reader.submit { [self] state in
            guard case .active = state else { return }
            do throws(RegistryError) {
                let page =
                    read.isNext
                    ? try registry.nextPage(of: read.message, from: read.page)
                    : try registry.pendingRecipients(of: read.message, page: read.page)
                step { $0.pageRead(page, read, at: Clock.now()) }
            } catch .overloaded {
                loop.scheduleTask(in: Self.tick) { [self] in readPage(read) }
            } catch {
                logger.critical(
                    "recipients cannot be read",
                    metadata: ["message": "\(read.message)", "page": "\(read.page)", "error": "\(error)"])
                // Its recipients stay pending in the outbox; other messages must not wait for them.
                step { $0.pageUnreadable(read, at: Clock.now()) }
            }
        }
    }

    /// Has messages put into the outbox whose time has come.
    private func releaseScheduled() {
        let now = Clock.now().wall
        let isDue = schedule.withLock { schedule in
            guard !schedule.isReleasing, let next = schedule.next, next <= now else { return false }
            schedule.isReleasing = true
            schedule.next = nil
            return true
        }
        guard isDue else { return }
        registry.submit([.release(now: now)], deadline: nil) { [self] result in
            schedule.withLock { $0.isReleasing = false }
            switch result {
            case .success(let answers):
                guard case .released(let entries, let next) = answers.first else { return }
                for entry in entries { messageAccepted(entry) }
                if let next { scheduled(at: next) }
            case .failure(.closed): break
            case .failure(let error):
                logger.warning("scheduled messages wait a little longer", metadata: ["error": "\(error)"])
                scheduled(at: now)
            }
        }
    }

    private func finish(_ message: MessageID) {
        registry.submit([.finish(message, now: Clock.now().wall)], deadline: nil) { [self] result in
            switch result {
            case .failure(.overloaded), .failure(.storageFull):
                loop.scheduleTask(in: Self.tick) { [self] in finish(message) }
            case .success([.finished(false)]):
                logger.error("a message is not finished after all", metadata: ["message": "\(message)"])
            case .success, .failure(.closed):
                break
            case .failure(let error):
                logger.critical("a message cannot be finished", metadata: ["error": "\(error)"])
            }
        }
    }

    /// Has subscribers told of something that the registry does not know of itself.
    private func publish(_ event: Event) {
        registry.submit([.note(event)], deadline: nil) { _ in }
    }

    /// They stay where they are, for an operator; the others go on.
    private func tell(_ unreadable: [UnreadableMessage]) {
        for message in unreadable where isNews(message.id) {
            logger.critical(
                "a message cannot be read and is not sent",
                metadata: ["message": "\(message.id)", "error": "\(message.reason)"])
        }
    }

    private func isNews(_ unreadable: MessageID) -> Bool {
        toldUnreadable.withLock { told in
            if told.count >= Self.toldUnreadableLimit { told.removeAll() }
            return told.insert(unreadable).inserted
        }
    }

    private func tell(_ alarm: DeliveryEngine.Alarm) {
        switch alarm {
        case .badTokens(let app, let environment, let isOver):
            metrics.alarm(app, environment, isOn: !isOver)
            publish(
                Event(
                    at: Clock.now().wall, kind: isOver ? .badTokensEnded : .badTokensBegan, app: app,
                    text: environment.name))
            let what: Logger.Metadata = ["app": "\(app)", "environment": "\(environment.name)"]
            if isOver {
                logger.notice("APNs takes the tokens again; dead ones are quarantined as before", metadata: what)
            } else {
                logger.critical(
                    "APNs calls many tokens bad: a wrong environment or bundle id? no device is quarantined for it",
                    metadata: what)
            }
        }
    }

    private func write(_ record: OutcomeRecord, of app: AppID?) {
        registry.submit([.record(record, now: Clock.now().wall)], deadline: nil) { [self] result in
            switch result {
            case .success(let answers):
                guard case .recorded = answers.first else {
                    logger.critical(
                        "outcomes are refused, and lost",
                        metadata: [
                            "message": "\(record.message)", "page": "\(record.page)",
                            "outcomes": "\(record.entries.count)", "answer": "\(answers)",
                        ])
                    return step { $0.recordLost(record, at: Clock.now()) }
                }
                metrics.recorded(record.entries, of: app)
                step { $0.recorded(record, at: Clock.now()) }
            case .failure(.overloaded), .failure(.storageFull):
                // Outcomes must not be lost: they are offered until there is room.
                loop.scheduleTask(in: Self.tick) { [self] in write(record, of: app) }
            case .failure(.closed): break
            case .failure(let error):
                // A failed disk stops the server. A spoilt record stops its own message, which stays unfinished.
                logger.critical("outcomes cannot be written", metadata: ["error": "\(error)"])
                step { $0.recordLost(record, at: Clock.now()) }
            }
        }
    }

    private func schedule(_ deadline: UInt64) {
        timer.withLock { timer in
            if let timer, timer.at <= deadline { return }
            timer?.task.cancel()
            let now = Clock.now().uptimeMilliseconds
            let delay = TimeAmount.milliseconds(Int64(clamping: deadline - min(now, deadline)))
            let task = loop.scheduleTask(in: delay) { [weak self] in
                guard let self else { return }
                self.timer.withLock { $0 = nil }
                step { $0.timerFired(at: Clock.now()) }
            }
            timer = (deadline, task)
        }
    }

    /// Deliveries that connections have in hand.
    package var inFlight: Int { engine.withLock { $0.inFlight } }
}
