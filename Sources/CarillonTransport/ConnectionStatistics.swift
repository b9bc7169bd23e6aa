import CarillonAPNs
import Synchronization

/// What one connection is doing, for its pool and for metrics: written once a turn, read by anybody.
final class ConnectionStatistics: Sendable {
    private let answers = Atomic<Int>(0)
    private let busy = Atomic<Int>(0)
    private let waiting = Atomic<Int>(0)
    private let streams = Atomic<Int>(0)

    /// So many pushes were answered; of these so many with 429, 500 or 503.
    func answered(_ count: Int, busy: Int) {
        answers.wrappingAdd(count, ordering: .relaxed)
        if busy > 0 { self.busy.wrappingAdd(busy, ordering: .relaxed) }
    }

    /// - Parameters:
    ///   - waiting: pushes without an answer.
    ///   - streams: how many may be open at a time.
    func stands(waiting: Int, streams: Int) {
        self.waiting.store(waiting, ordering: .relaxed)
        self.streams.store(streams, ordering: .relaxed)
    }

    /// Everything since the beginning, and how it stands.
    var now: (report: PoolBalance.Report, streams: Int) {
        let report = PoolBalance.Report(
            answers: answers.load(ordering: .relaxed), busy: busy.load(ordering: .relaxed),
            waiting: waiting.load(ordering: .relaxed))
        return (report, streams.load(ordering: .relaxed))
    }
}
