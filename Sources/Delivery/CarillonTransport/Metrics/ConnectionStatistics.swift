import CarillonProvider
import Synchronization

/// The counts of one connection, for its pool and for metrics. Written by the connection once a cycle, read from any
/// thread.
final class ConnectionStatistics: Sendable {
    private let answers = Atomic<Int>(0)
    private let busy = Atomic<Int>(0)
    private let inFlight = Atomic<Int>(0)
    private let maximumStreams = Atomic<Int>(0)
    private let windowBytes = Atomic<Int>(0)
    private let roundTrip = Atomic<UInt32>(0)

    /// Counts answered pushes.
    ///
    /// - Parameter busy: the number of them that the provider has answered as busy, for example with 429 or 503.
    func countAnswers(_ count: Int, busy: Int) {
        answers.wrappingAdd(count, ordering: .relaxed)
        if busy > 0 { self.busy.wrappingAdd(busy, ordering: .relaxed) }
    }

    /// Replaces the numbers of pushes and streams.
    ///
    /// - Parameters:
    ///   - inFlight: pushes without an answer.
    ///   - maximumStreams: the number of streams that may be open at a time.
    func update(inFlight: Int, maximumStreams: Int) {
        self.inFlight.store(inFlight, ordering: .relaxed)
        self.maximumStreams.store(maximumStreams, ordering: .relaxed)
    }

    /// Replaces the window.
    ///
    /// - Parameter windowBytes: the bodies that the provider takes before it opens the connection's window further.
    func update(windowBytes: Int) { self.windowBytes.store(windowBytes, ordering: .relaxed) }

    /// Replaces the round-trip time.
    ///
    /// - Parameter roundTripMicroseconds: the round-trip time that the kernel has measured; 0 if it has measured none.
    func update(roundTripMicroseconds: UInt32) { roundTrip.store(roundTripMicroseconds, ordering: .relaxed) }

    /// The window, and the round-trip time; nil until the kernel has measured one.
    var network: (windowBytes: Int, roundTripMicroseconds: UInt32?) {
        let roundTrip = roundTrip.load(ordering: .relaxed)
        return (windowBytes.load(ordering: .relaxed), roundTrip == 0 ? nil : roundTrip)
    }

    /// The counts since the connection was made, and the current values.
    var current: (report: ConnectionBalanceRule.Report, maximumStreams: Int) {
        let report = ConnectionBalanceRule.Report(
            answers: answers.load(ordering: .relaxed), busy: busy.load(ordering: .relaxed),
            unanswered: inFlight.load(ordering: .relaxed))
        return (report, maximumStreams.load(ordering: .relaxed))
    }
}
