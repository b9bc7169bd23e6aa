import CarillonCore

/// The pages with outcomes that are not in a record, and when these outcomes are written.
///
/// A commit costs as much as hundreds of outcomes, and a push to one user waits for a commit that has begun. So the
/// outcomes of a fan-out are buffered for a moment. They are written at once in two cases: no more outcomes are
/// expected, or the buffered outcomes would soon hold back other deliveries (`DuplicateBound`).
struct OutcomeBuffer: Sendable {
    private let limits: DeliveryEngine.Limits
    /// The pages whose outcomes are written at the end of the call.
    private var dirty: Set<PageKey> = []
    /// The pages whose outcomes wait for more outcomes, so that they are written together.
    private var buffered: Set<PageKey> = []
    /// The uptime until which the buffered outcomes wait; nil if no outcome waits.
    private(set) var bufferedUntil: Uptime?

    init(limits: DeliveryEngine.Limits) {
        self.limits = limits
    }

    /// Schedules the outcomes of a page to be written: at the end of the call if `isUrgent`, else within
    /// `limits.bufferMilliseconds`.
    mutating func scheduleWrite(of key: PageKey, isUrgent: Bool, within bound: DuplicateBound, at now: Moment) {
        guard !isUrgent, !bound.isBulkShareUsedUp else {
            dirty.insert(key)
            return
        }
        buffered.insert(key)
        if bound.bufferedCount >= flushThreshold(within: bound) {
            flushBuffered()
        } else if bufferedUntil == nil {
            bufferedUntil = now.uptime + limits.bufferMilliseconds
        }
    }

    /// Returns the number of deliveries with buffered outcomes at which these are written at once.
    ///
    /// Five eighths of the room that the bound has for them, so that outcomes have room that come during the write.
    /// Never less than a quarter of the bound, and above that never more than `limits.flushThreshold`.
    ///
    /// For example, on a node of a cluster the bound is 16,384 and the limit 8,192. With 1,000 deliveries in flight the
    /// bound has room for 13,336 outcomes, so the limit counts: 8,192 are buffered. With 8,000 in flight it has room
    /// for 6,336; five eighths of them are less than a quarter of the bound, which is 4,096.
    private func flushThreshold(within bound: DuplicateBound) -> Int {
        max(bound.maximum / 4, min(limits.flushThreshold, bound.roomForOutcomes * 5 / 8))
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
}
