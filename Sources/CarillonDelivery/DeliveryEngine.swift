package import CarillonCore
import DequeModule
import HeapModule

/// The heart: which delivery goes next, what an answer means for it, when it is tried again.
///
/// It reads nothing and sends nothing. Connections pull deliveries and give back results; what the engine wants done (pages
/// read, outcomes written, pools woken) gathers as effects that the shell takes after each call. Memory is bounded by
/// `Limits`, whatever the audience and the backlog: what does not fit stays in the outbox on disk.
package struct DeliveryEngine: Sendable {
    /// Bounds of the engine's memory.
    package struct Limits: Hashable, Sendable {
        /// Messages in memory.
        package var messages = 2_048
        /// Recipients in memory, of all messages together; a page being read counts as a full one.
        package var recipients = 262_144
        /// Pages of one message in memory with somebody ready or in flight.
        package var pagesPerMessage = 2
        /// Pages being read at a time.
        package var reads = 8
        /// Outcomes that are not on disk yet; above it nothing is pulled, which bounds the duplicates after a crash.
        package var unrecorded = 16_384
        /// Deliveries of one page in a row before the next page of the lane has its turn.
        package var turn = 128
        /// Changed devices remembered one by one.
        package var changes = 65_536

        /// Makes the defaults.
        package init() {}
    }

    /// What the shell does after a call.
    package struct Effects: Sendable {
        /// One page to read; give it to `pageRead`.
        package struct Read: Hashable, Sendable {
            /// The message.
            package var message: MessageID
            /// The page.
            package var page: UInt32
            /// Goes back with the page.
            package var ticket: UInt64
        }

        /// Read at most `limit` unfinished messages after this one and give them to `messagesRead`.
        package var readMessages: (after: MessageID?, limit: Int)?
        /// Pages to read.
        package var reads: [Read] = []
        /// Outcomes to write; say `recorded` when they are on disk.
        package var records: [OutcomeRecord] = []
        /// Pools that have work now.
        package var wake: Set<PoolKey> = []
    }

    /// What the engine holds in memory.
    package struct Load: Hashable, Sendable {
        /// Messages.
        package var messages: Int
        /// Recipients of the pages in memory; a page being read is not yet among them.
        package var recipients: Int
        /// Pages in line, counted once for each pool that they wait for.
        package var pagesInLine: Int
        /// Deliveries handed to connections.
        package var inFlight: Int
        /// Outcomes that are not on disk yet.
        package var unrecorded: Int
        /// Changed devices remembered one by one.
        package var changes: Int
    }

    private struct Run {
        var message: OutboundMessage
        var notAfter: Timestamp?
        var lane: Lane
        var pages: UInt32
        var nextPage: UInt32 = 0
        var reading: Set<UInt32> = []
        var inMemory: Set<UInt32> = []
        var startedAt: UInt64
    }

    private struct QueueKey: Hashable {
        var lane: Lane
        var pool: PoolKey
    }

    private struct Retry: Comparable {
        var dueAt: UInt64
        var key: PageKey
        var position: UInt16

        static func < (left: Retry, right: Retry) -> Bool { left.dueAt < right.dueAt }
    }

    private struct DeviceKey: Hashable {
        var app: AppID
        var device: DeviceID
    }

    private let limits: Limits
    private let policy: RetryPolicy
    private var routes: Routes
    private var random: SplitMix
    private var effects = Effects()

    private var runs: [MessageID: Run] = [:]
    private var pages: [PageKey: PageRun] = [:]
    private var queues: [QueueKey: Deque<PageKey>] = [:]
    private var queued: [QueueKey: Set<PageKey>] = [:]
    private var wantsPage: [Lane: Deque<MessageID>] = [:]
    private var retries = Heap<Retry>()
    private var outcomes: [PageKey: [OutcomeRecord.Entry]] = [:]

    private var reads = 0
    private var recipientsInMemory = 0
    private var unrecorded = 0
    /// Deliveries handed to connections.
    package private(set) var inFlight = 0
    private var isStopped = false
    /// Pools whose credential was refused.
    private var parked: Set<PoolKey> = []

    // What stays on disk because memory is full: everything after `lastAdmitted`.
    private var lastAdmitted: MessageID?
    private var newestAccepted: MessageID?
    private var hasBacklog = true
    private var isReadingMessages = false

    private var ticket: UInt64 = 1
    private var changed: [DeviceKey: UInt64] = [:]
    private var allChangedAt: UInt64 = 0

    /// Makes an engine that begins with what the outbox holds.
    ///
    /// - Parameter seed: of the jitter; the same seed and the same calls give the same answers.
    package init(routes: Routes, limits: Limits = Limits(), policy: RetryPolicy = RetryPolicy(), seed: UInt64) {
        self.routes = routes
        self.limits = limits
        self.policy = policy
        random = SplitMix(state: seed)
    }

    /// Takes what the shell has to do, and forgets it.
    package mutating func takeEffects() -> Effects {
        flushOutcomes()
        readMessagesIfRoom()
        readPagesIfRoom()
        defer { effects = Effects() }
        return effects
    }

    /// What is in memory now, for metrics and tests.
    package var load: Load {
        Load(
            messages: runs.count,
            recipients: recipientsInMemory,
            pagesInLine: queues.values.reduce(0) { $0 + $1.count },
            inFlight: inFlight,
            unrecorded: unrecorded,
            changes: changed.count
        )
    }

    // MARK: Messages

    /// A message was accepted. It is taken into memory if there is room, else later from the outbox.
    package mutating func messageAccepted(_ entry: OutboxEntry, at now: Moment) {
        newestAccepted = max(newestAccepted ?? entry.id, entry.id)
        guard !hasBacklog else { return }
        guard runs.count < limits.messages else {
            hasBacklog = true
            return
        }
        admit(entry, now)
    }

    /// What the outbox holds after the message that was asked for.
    package mutating func messagesRead(_ entries: [OutboxEntry], wasLast: Bool, at now: Moment) {
        isReadingMessages = false
        for entry in entries { admit(entry, now) }
        // A message accepted while the outbox was read may not have been seen by that reading.
        let sawAll = newestAccepted.map { newest in lastAdmitted.map { $0 >= newest } ?? false } ?? true
        hasBacklog = !(wasLast && sawAll)
    }

    private mutating func admit(_ entry: OutboxEntry, _ now: Moment) {
        if let lastAdmitted, entry.id <= lastAdmitted { return }
        lastAdmitted = entry.id
        runs[entry.id] = Run(
            message: OutboundMessage(entry),
            notAfter: entry.notAfter ?? callEnd(entry),
            lane: entry.lane,
            pages: entry.pages,
            startedAt: now.uptimeMilliseconds
        )
        wantsPage[entry.lane, default: []].append(entry.id)
    }

    private mutating func readMessagesIfRoom() {
        guard hasBacklog, !isReadingMessages, !isStopped, runs.count <= limits.messages / 2 else { return }
        isReadingMessages = true
        effects.readMessages = (lastAdmitted, limits.messages - runs.count)
    }

    // MARK: Pages

    private mutating func readPagesIfRoom() {
        guard !isStopped else { return }
        for lane in Lane.allCases { readPagesIfRoom(of: lane) }
    }

    private mutating func readPagesIfRoom(of lane: Lane) {
        var postponed: [MessageID] = []
        while reads < limits.reads, hasRoomForPage(of: lane), let id = wantsPage[lane]?.popFirst() {
            guard var run = runs[id], run.nextPage < run.pages else { continue }
            guard run.reading.count + busyPages(run) < limits.pagesPerMessage else {
                postponed.append(id)
                continue
            }
            let page = run.nextPage
            run.nextPage += 1
            run.reading.insert(page)
            runs[id] = run
            read(PageKey(message: id, page: page))
            if run.nextPage < run.pages { wantsPage[lane]?.append(id) }
        }
        if !postponed.isEmpty { wantsPage[lane, default: []].append(contentsOf: postponed) }
    }

    /// A quarter of the memory is kept for the interactive lane, so that fan-outs cannot keep a person waiting.
    private func hasRoomForPage(of lane: Lane) -> Bool {
        let room = lane == .interactive ? limits.recipients : limits.recipients - limits.recipients / 4
        return recipientsInMemory + (reads + 1) * RegistryLimits.recipientsPerPage <= room
    }

    /// Pages that hold back the next one: those with nothing but delayed recipients do not.
    private func busyPages(_ run: Run) -> Int {
        run.inMemory.count { page in
            guard let pageRun = pages[PageKey(message: run.message.id, page: page)] else { return false }
            return pageRun.inFlight > 0 || pageRun.stale > 0 || Environment.allCases.contains(where: pageRun.hasReady)
        }
    }

    private mutating func read(_ key: PageKey) {
        reads += 1
        ticket += 1
        effects.reads.append(Effects.Read(message: key.message, page: key.page, ticket: ticket))
    }

    /// A page that was asked for; nothing if there is no such page.
    package mutating func pageRead(_ page: RecipientPage?, _ read: Effects.Read, at now: Moment) {
        reads -= 1
        let key = PageKey(message: read.message, page: read.page)
        guard var run = runs[read.message] else { return }
        run.reading.remove(read.page)
        defer {
            runs[read.message] = run
            finishPageIfDone(key)
        }
        guard let page else {
            // The page is gone or cannot be read: who waited for it stays pending in the outbox, the others go on.
            if var known = pages.removeValue(forKey: key) {
                known.forgetStale()
                pages[key] = known
            }
            return
        }
        if var known = pages[key] {
            for position in known.reload(page, ticket: read.ticket) {
                known.move(position, to: .ended)
                place(position, in: &known, key, run)
            }
            pages[key] = known
            return
        }
        var fresh = PageRun(page, ticket: read.ticket)
        for recipient in page.recipients { place(recipient.position, in: &fresh, key, run) }
        recipientsInMemory += fresh.charge
        run.inMemory.insert(read.page)
        pages[key] = fresh
    }

    /// Puts a recipient that was just read in line, or gives it the outcome that it has without an attempt.
    private mutating func place(_ position: UInt16, in page: inout PageRun, _ key: PageKey, _ run: Run) {
        let content = run.message.content
        guard let (_, recipient) = page.recipient(position) else { return end(position, .unregistered, key) }
        if let outcome = Self.outcomeWithoutAttempt(recipient, content) { return end(position, outcome, key) }
        guard let pool = routes.pool(for: content.app, recipient.environment) else {
            return end(position, .noCredential, key)
        }
        // What stays pending on disk takes no memory: it is read again after a restart.
        guard !parked.contains(pool) else { return }
        page.makeReady(position, recipient.environment)
        enqueue(key, run.lane, pool)
    }

    private static func outcomeWithoutAttempt(
        _ recipient: RecipientPage.Recipient,
        _ content: MessageContent
    ) -> Outcome? {
        guard recipient.device != nil, let state = recipient.state else { return .unregistered }
        guard state == .active else { return .quarantined }
        return recipient.kind == content.pushType.tokenKind ? nil : .wrongKind
    }

    private mutating func enqueue(_ key: PageKey, _ lane: Lane, _ pool: PoolKey) {
        let queue = QueueKey(lane: lane, pool: pool)
        effects.wake.insert(pool)
        guard queued[queue, default: []].insert(key).inserted else { return }
        queues[queue, default: []].append(key)
    }

    private mutating func finishPageIfDone(_ key: PageKey) {
        guard var run = runs[key.message], !run.reading.contains(key.page) else { return }
        if let page = pages[key] {
            guard page.unfinished == 0 else { return }
            pages[key] = nil
            recipientsInMemory -= page.charge
            run.inMemory.remove(key.page)
            forgetChanges()
        }
        runs[key.message] = run
        if run.nextPage >= run.pages && run.inMemory.isEmpty && run.reading.isEmpty { runs[key.message] = nil }
    }

    // MARK: Pulling

    /// Whether there may be work for a pool.
    package func hasWork(for pool: PoolKey) -> Bool {
        !isStopped && unrecorded < limits.unrecorded
            && Lane.allCases.contains { queues[QueueKey(lane: $0, pool: pool)]?.isEmpty == false }
    }

    /// Appends at most `limit` deliveries for a pool: the interactive lane first, the pages of a lane in turn.
    package mutating func pull(for pool: PoolKey, limit: Int, at now: Moment, into deliveries: inout [Delivery]) {
        guard !isStopped else { return }
        var room = min(limit, limits.unrecorded - unrecorded - inFlight)
        for lane in Lane.allCases {
            let queue = QueueKey(lane: lane, pool: pool)
            while room > 0, let key = queues[queue]?.popFirst() {
                let taken = pull(key, pool, limit: min(room, limits.turn), now, into: &deliveries)
                room -= taken
                if pages[key]?.hasReady(pool.environment) == true {
                    queues[queue]?.append(key)
                } else {
                    queued[queue]?.remove(key)
                    finishPageIfDone(key)
                }
            }
        }
    }

    private mutating func pull(
        _ key: PageKey,
        _ pool: PoolKey,
        limit: Int,
        _ now: Moment,
        into deliveries: inout [Delivery]
    ) -> Int {
        guard let run = runs[key.message], var page = pages.removeValue(forKey: key) else { return 0 }
        defer { pages[key] = page }
        if let notAfter = run.notAfter, now.wall > notAfter {
            expire(&page, key)
            return 0
        }
        var taken = 0
        var isStale = false
        while taken < limit, let position = page.takeReady(pool.environment) {
            guard let (index, recipient) = page.recipient(position), let device = recipient.device else {
                page.move(position, to: .ended)
                end(position, .unregistered, key)
                continue
            }
            if hasChanged(DeviceKey(app: run.message.content.app, device: device), since: page.ticket) {
                page.move(position, to: .stale)
                isStale = true
                continue
            }
            // The page may have been read again for another recipient while this one was in line or in flight.
            if let outcome = Self.outcomeWithoutAttempt(recipient, run.message.content) {
                page.move(position, to: .ended)
                end(position, outcome, key)
                continue
            }
            page.move(position, to: .inFlight)
            deliveries.append(Delivery(message: run.message, page: page.page, index: index, device: device))
            taken += 1
        }
        inFlight += taken
        if isStale { reload(key) }
        return taken
    }

    private mutating func expire(_ page: inout PageRun, _ key: PageKey) {
        for position in page.takeAllReady() {
            page.move(position, to: .ended)
            end(position, .expired, key)
        }
    }

    // MARK: Results

    /// What attempts came to.
    package mutating func completed(_ results: [DeliveryResult], at now: Moment) {
        wakeIfFull()
        inFlight -= results.count
        // Answers come in runs of one page: it is looked up once a run.
        var rest = results[...]
        while let key = rest.first.map(Self.key) {
            let batch = rest.prefix { Self.key($0) == key }
            rest = rest.dropFirst(batch.count)
            guard let run = runs[key.message], var page = pages.removeValue(forKey: key) else { continue }
            for result in batch { complete(result, in: &page, key, run, now) }
            pages[key] = page
            finishPageIfDone(key)
        }
    }

    private static func key(_ result: DeliveryResult) -> PageKey {
        PageKey(message: result.delivery.page.message, page: result.delivery.page.number)
    }

    private mutating func complete(
        _ result: DeliveryResult,
        in page: inout PageRun,
        _ key: PageKey,
        _ run: Run,
        _ now: Moment
    ) {
        let recipient = result.delivery.page.recipients[result.delivery.index]
        let position = recipient.position
        guard page.standing(position) == .inFlight else { return }
        switch result.verdict {
        case .delivered:
            page.move(position, to: .ended)
            end(position, .delivered, key)
        case .refused(let outcome, let deadSince):
            page.move(position, to: .ended)
            let death = deadSince.map { since in
                OutcomeRecord.TokenDeath(since: since, registeredAt: recipient.registeredAt)
            }
            end(position, outcome, key, death: death)
        case .notProcessed, .credentialRefused:
            guard let pool = routes.pool(for: run.message.content.app, recipient.environment) else {
                page.move(position, to: .ended)
                return end(position, .noCredential, key)
            }
            guard !parked.contains(pool) else { return page.move(position, to: .ended) }
            page.makeReady(position, recipient.environment, atFront: true)
            enqueue(key, run.lane, pool)
        case .unknown:
            retry(position, in: &page, key, run, policy.unknown, asked: nil, now)
        case .tryLater(.tokenThrottled, let asked):
            retry(position, in: &page, key, run, policy.tokenThrottled, asked: asked, now)
        case .tryLater(.serverBusy, let asked):
            retry(position, in: &page, key, run, policy.serverBusy, asked: asked, now)
        }
    }

    private mutating func retry(
        _ position: UInt16,
        in page: inout PageRun,
        _ key: PageKey,
        _ run: Run,
        _ backoff: RetryPolicy.Backoff,
        asked: UInt64?,
        _ now: Moment
    ) {
        page.chargeAttempt(position)
        let decision = policy.decide(
            backoff,
            attempt: page.attempts(position),
            age: now.uptimeMilliseconds - run.startedAt,
            isOnce: Self.isOnce(run.message.content),
            asked: asked,
            random: random.unit()
        )
        switch decision {
        case .giveUp:
            page.move(position, to: .ended)
            end(position, .gaveUp, key)
        case .retry(let delay):
            let end = Self.lastAttempt(run)
            guard now.wall.advanced(byMilliseconds: delay) <= end else {
                page.move(position, to: .ended)
                self.end(position, .expired, key)
                return
            }
            page.move(position, to: .delayed)
            retries.insert(Retry(dueAt: now.uptimeMilliseconds + delay, key: key, position: position))
        }
    }

    /// When a call is over that nobody has answered.
    private func callEnd(_ entry: OutboxEntry) -> Timestamp? {
        let isCall = entry.content.pushType == .voip || entry.content.pushType == .pushtotalk
        guard isCall, Self.isOnce(entry.content) else { return nil }
        return entry.acceptedAt.advanced(byMilliseconds: policy.callLife)
    }

    private static func isOnce(_ content: MessageContent) -> Bool {
        switch content.expiration {
        case .once: true
        case .at: false
        case .unspecified: content.pushType == .voip || content.pushType == .pushtotalk
        }
    }

    /// After it no further attempt is of use: APNs itself would throw the push away.
    private static func lastAttempt(_ run: Run) -> Timestamp {
        var last = run.notAfter ?? Timestamp(milliseconds: .max)
        if case .at(let seconds) = run.message.content.expiration {
            let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
            last = min(last, Timestamp(milliseconds: overflow ? .max : milliseconds))
        }
        return last
    }

    private mutating func end(
        _ position: UInt16, _ outcome: Outcome, _ key: PageKey, death: OutcomeRecord.TokenDeath? = nil
    ) {
        outcomes[key, default: []].append(
            OutcomeRecord.Entry(position: position, outcome: outcome, death: death)
        )
    }

    private mutating func flushOutcomes() {
        guard !outcomes.isEmpty else { return }
        for key in outcomes.keys.sorted() {
            guard let entries = outcomes[key] else { continue }
            unrecorded += entries.count
            effects.records.append(OutcomeRecord(message: key.message, page: key.page, entries: entries))
        }
        outcomes.removeAll(keepingCapacity: true)
    }

    /// A record is on disk.
    package mutating func recorded(_ record: OutcomeRecord) {
        wakeIfFull()
        unrecorded -= record.entries.count
    }

    /// Pools that were refused work because the bound was reached ask again: it is about to fall.
    private mutating func wakeIfFull() {
        if unrecorded + inFlight >= limits.unrecorded { effects.wake.formUnion(routes.all) }
    }

    // MARK: Devices that change while they are in memory

    /// A device was unregistered or has another token: what was read of it before is not used any more.
    ///
    /// Call it before the change is acknowledged.
    package mutating func deviceChanged(_ device: DeviceID, of app: AppID) {
        ticket += 1
        if changed.count >= limits.changes {
            changed.removeAll()
            allChangedAt = ticket
        } else if !pages.isEmpty || reads > 0 {
            changed[DeviceKey(app: app, device: device)] = ticket
        }
    }

    private func hasChanged(_ device: DeviceKey, since read: UInt64) -> Bool {
        if allChangedAt > read { return true }
        guard !changed.isEmpty, let at = changed[device] else { return false }
        return at > read
    }

    private mutating func reload(_ key: PageKey) {
        guard runs[key.message]?.reading.insert(key.page).inserted == true else { return }
        read(key)
    }

    private mutating func forgetChanges() {
        if pages.isEmpty && reads == 0 && !changed.isEmpty { changed.removeAll() }
    }

    // MARK: Time and steering

    /// Uptime in milliseconds at which `timerFired` is to be called.
    package var deadline: UInt64? { retries.min?.dueAt }

    /// Puts back in line what is due.
    package mutating func timerFired(at now: Moment) {
        while let retry = retries.min, retry.dueAt <= now.uptimeMilliseconds {
            _ = retries.popMin()
            guard let run = runs[retry.key.message], var page = pages.removeValue(forKey: retry.key) else { continue }
            if page.standing(retry.position) == .delayed,
                let (_, recipient) = page.recipient(retry.position)
            {
                let pool = routes.pool(for: run.message.content.app, recipient.environment)
                if let pool, parked.contains(pool) {
                    page.move(retry.position, to: .ended)
                } else if let pool {
                    page.makeReady(retry.position, recipient.environment)
                    enqueue(retry.key, run.lane, pool)
                } else {
                    page.move(retry.position, to: .ended)
                    end(retry.position, .noCredential, retry.key)
                }
            }
            pages[retry.key] = page
            finishPageIfDone(retry.key)
        }
    }

    /// Ends what is past its time although no connection asks for it; call it about once a second.
    package mutating func expirePassed(at now: Moment) {
        var hasPassed = false
        for (id, run) in runs {
            guard let notAfter = run.notAfter, now.wall > notAfter else { continue }
            for number in run.inMemory {
                let key = PageKey(message: id, page: number)
                guard var page = pages.removeValue(forKey: key) else { continue }
                expire(&page, key)
                pages[key] = page
                finishPageIfDone(key)
                hasPassed = true
            }
        }
        if hasPassed { rebuildQueues() }
    }

    /// Leaves in line what can be pulled and nothing else, in the same order: a pool that never pulls must not gather the
    /// remains of what has expired.
    private mutating func rebuildQueues() {
        let old = queues
        queues.removeAll()
        queued.removeAll()
        for (queue, keys) in old {
            for key in keys where pages[key]?.hasReady(queue.pool.environment) == true {
                queues[queue, default: []].append(key)
                queued[queue, default: []].insert(key)
            }
        }
    }

    /// Hands out nothing more; what is in flight still comes back.
    package mutating func stop() {
        isStopped = true
    }

    /// A pool's credential was refused: what waits for it leaves the memory, which all pools share, and stays pending in the
    /// outbox until a restart. Messages of other pools must not wait behind it.
    package mutating func poolStopped(_ pool: PoolKey) {
        guard parked.insert(pool).inserted else { return }
        for lane in Lane.allCases {
            queues[QueueKey(lane: lane, pool: pool)] = nil
            queued[QueueKey(lane: lane, pool: pool)] = nil
        }
        for key in pages.keys.sorted() {
            guard let run = runs[key.message], var page = pages.removeValue(forKey: key) else { continue }
            if routes.pool(for: run.message.content.app, pool.environment) == pool {
                while let position = page.takeReady(pool.environment) { page.move(position, to: .ended) }
            }
            pages[key] = page
            finishPageIfDone(key)
        }
    }

    /// Credentials were added or removed: what is in line goes to the pool that serves it now, or ends.
    package mutating func routesChanged(_ routes: Routes) {
        self.routes = routes
        effects.wake.formUnion(routes.all)
        queues.removeAll()
        queued.removeAll()
        for key in pages.keys.sorted() { route(key) }
    }

    private mutating func route(_ key: PageKey) {
        guard let run = runs[key.message], var page = pages.removeValue(forKey: key) else { return }
        for environment in Environment.allCases where page.hasReady(environment) {
            if let pool = routes.pool(for: run.message.content.app, environment) {
                enqueue(key, run.lane, pool)
                continue
            }
            while let position = page.takeReady(environment) {
                page.move(position, to: .ended)
                end(position, .noCredential, key)
            }
        }
        pages[key] = page
        finishPageIfDone(key)
    }
}
