import CarillonCore

/// The count of the deliveries that a crash would repeat, because they are in flight or their outcome is not on disk.
/// It decides when outcomes are written.
///
/// A commit costs as much as hundreds of outcomes, and a push to one user waits for a commit that has begun. So the
/// outcomes of a fan-out are buffered for a moment. They are written at once in two cases: no more outcomes are
/// expected, or the buffered outcomes would soon hold back other deliveries.
struct OutcomeBuffer: Sendable {
    private let limits: DeliveryEngine.Limits
    /// The number of deliveries that are in the hands of connections.
    private(set) var inFlight = 0
    /// The number of deliveries that the provider has accepted, or may have, and that are not on disk.
    private(set) var unrecorded = 0
    /// The number of the deliveries of `unrecorded` whose outcomes are in records being written.
    private var beingWritten = 0
    /// The pages whose outcomes are written at the end of the call.
    private var dirty: Set<PageKey> = []
    /// The pages whose outcomes wait for more outcomes, so that they are written together.
    private var buffered: Set<PageKey> = []
    /// The devices with a silent push that is on its way, or was delivered and is not on disk. Each device has a
    /// silent-push budget, which the disk knows only after the outcome is written.
    private var silentDevices: Set<AppDevice> = []
    /// The uptime until which the buffered outcomes wait; nil if no outcome waits.
    private(set) var bufferedUntil: Uptime?

    init(limits: DeliveryEngine.Limits) {
        self.limits = limits
    }

    // MARK: The bound

    /// True if the bound on what a crash may repeat is reached by outcomes alone.
    var isFull: Bool { unrecorded >= limits.unrecordedDeliveries }

    /// True if the bulk lane gets nothing because of the bound.
    var isNearlyFull: Bool { unrecorded + inFlight >= limits.unrecordedDeliveries - limits.unrecordedDeliveries / 8 }

    /// Returns the number of deliveries that a lane may still have handed out; it may be negative.
    func room(for lane: Lane) -> Int {
        let room = limits.unrecordedDeliveries - unrecorded - inFlight
        return lane == .interactive ? room : room - limits.unrecordedDeliveries / 8
    }

    /// The number of deliveries with buffered outcomes at which these are written at once.
    ///
    /// Five eighths of the room that the bulk lane has, so that outcomes have room that come during the write. Never
    /// less than a quarter of the bound, and above that never more than `limits.flushThreshold`.
    ///
    /// For example, on a node of a cluster the bound is 16,384 and the limit 8,192. With 1,000 deliveries in flight the
    /// bulk lane has room for 13,336, so the limit counts: 8,192 are buffered. With 8,000 in flight it has room for
    /// 6,336; five eighths of them are less than a quarter of the bound, which is 4,096.
    private var flushThreshold: Int {
        let room = (limits.unrecordedDeliveries - limits.unrecordedDeliveries / 8 - inFlight) * 5 / 8
        return max(limits.unrecordedDeliveries / 4, min(limits.flushThreshold, room))
    }

    // MARK: Deliveries

    mutating func deliveriesHandedOut(_ count: Int) { inFlight += count }

    mutating func deliveriesReturned(_ count: Int) { inFlight -= count }

    /// Counts outcomes and delays of deliveries that the provider has accepted, or may have.
    mutating func addUnrecorded(_ count: Int) { unrecorded += count }

    // MARK: Silent pushes

    /// The number of devices with a silent push that is not on disk.
    var silentCount: Int { silentDevices.count }

    /// Begins a silent push to a device. Returns false if another silent push to the device has not ended: its effect
    /// on the silent-push budget is not known.
    mutating func beginSilentPush(to device: AppDevice) -> Bool { silentDevices.insert(device).inserted }

    /// Ends the silent push to a device: it was not delivered, or its outcome is on disk.
    mutating func endSilentPush(to device: AppDevice) { silentDevices.remove(device) }

    // MARK: Writing

    /// Schedules the outcomes of a page to be written: at the end of the call if `isUrgent`, else within
    /// `limits.bufferMilliseconds`.
    mutating func scheduleWrite(of key: PageKey, isUrgent: Bool, at now: Moment) {
        guard !isUrgent, !isNearlyFull else {
            dirty.insert(key)
            return
        }
        buffered.insert(key)
        if unrecorded - beingWritten >= flushThreshold {
            flushBuffered()
        } else if bufferedUntil == nil {
            bufferedUntil = now.uptime + limits.bufferMilliseconds
        }
    }

    /// Schedules the buffered outcomes to be written at the end of the call.
    mutating func flushBuffered() {
        bufferedUntil = nil
        guard !buffered.isEmpty else { return }
        dirty.formUnion(buffered)
        buffered.removeAll(keepingCapacity: true)
    }

    /// Schedules the buffered outcomes to be written, if they have waited long enough.
    mutating func timerFired(at now: Moment) {
        if let until = bufferedUntil, until <= now.uptime { flushBuffered() }
    }

    /// True if outcomes are to be written at the end of the call.
    var hasDirtyPages: Bool { !dirty.isEmpty }

    /// Returns the pages whose outcomes are to be written now, ascending.
    mutating func takeDirtyPages() -> [PageKey] {
        defer { dirty.removeAll(keepingCapacity: true) }
        return dirty.sorted()
    }

    mutating func beginWrite(_ record: OutcomeRecord) { beingWritten += record.unrecordedCount }

    mutating func endWrite(_ record: OutcomeRecord) {
        let count = record.unrecordedCount
        unrecorded -= count
        beingWritten -= count
    }
}

extension OutcomeRecord {
    /// The number of rows of the record.
    var count: Int { endedRecipients.count + delays.count + attempts.count }

    /// The number of rows that `OutcomeBuffer.unrecorded` counts: of deliveries that the provider has accepted, or may
    /// have. A crash would lose them, and the pushes would be sent once more. Recipients that gave up while they only
    /// waited were at no provider, so they do not count.
    var unrecordedCount: Int {
        delays.count + endedRecipients.count(where: \.outcome.mayHaveReachedProvider) - gaveUpWaitingCount
    }
}

extension Outcome {
    /// True if the provider has accepted the push, or may have.
    var mayHaveReachedProvider: Bool { self == .delivered || self == .gaveUp }
}
