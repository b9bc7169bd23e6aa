import CarillonCore

/// The pages with outcomes that are not in a record, and when these outcomes are written.
///
/// A commit costs as much as hundreds of outcomes, and a push to one user waits for a commit that has begun. So the
/// outcomes of a fan-out are buffered for a moment. They are written at once in two cases: no more outcomes are
/// expected, or the buffered outcomes would soon hold back other deliveries (`DuplicateBound`).
struct OutcomeBuffer: Sendable {
    private let limits: DeliveryEngine.Limits
    /// The pages whose outcomes are written at the end of the call.
    private var dueNow: Set<PageKey> = []
    /// The pages whose outcomes wait for more outcomes, so that all are written together.
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
            dueNow.insert(key)
            return
        }
        buffered.insert(key)
        if bound.bufferedCount >= maximumBuffered(within: bound) {
            flushBuffered()
        } else if bufferedUntil == nil {
            bufferedUntil = now.uptime + limits.bufferMilliseconds
        }
    }

    /// Returns the most deliveries with buffered outcomes: at this number the outcomes are written at once.
    ///
    /// The bulk lane gets work up to a number of unrecorded deliveries. Five eighths of them may be buffered: the rest
    /// is for outcomes that come during the write. The result is at most `limits.bufferedDeliveries`, and at least a
    /// quarter of the bound, because a write of a few outcomes costs as much as one of hundreds.
    ///
    /// For example, on a node of a cluster the bound is 16,384 and the limit 8,192. With 1,000 deliveries in flight the
    /// bulk lane gets work up to 13,336 unrecorded ones. Five eighths of them are 8,335, so the limit counts: 8,192 are
    /// buffered. With 8,000 in flight it gets work up to 6,336. Five eighths of them are 3,960, so the quarter of the
    /// bound counts: 4,096 are buffered.
    private func maximumBuffered(within bound: DuplicateBound) -> Int {
        max(bound.maximum / 4, min(limits.bufferedDeliveries, bound.maximumUnrecordedOfBulk * 5 / 8))
    }

    /// Schedules the buffered outcomes to be written at the end of the call.
    mutating func flushBuffered() {
        bufferedUntil = nil
        guard !buffered.isEmpty else { return }
        dueNow.formUnion(buffered)
        buffered.removeAll(keepingCapacity: true)
    }

    /// Schedules the buffered outcomes to be written, if they have waited long enough.
    mutating func timerFired(at now: Moment) {
        if let until = bufferedUntil, until <= now.uptime { flushBuffered() }
    }

    /// True if outcomes must be written at the end of the call.
    var hasPagesDueNow: Bool { !dueNow.isEmpty }

    /// Returns the pages whose outcomes must be written now, ascending.
    mutating func takePagesDueNow() -> [PageKey] {
        defer { dueNow.removeAll(keepingCapacity: true) }
        return dueNow.sorted()
    }
}
