import CarillonClock
import CarillonCore
import NIOCore

/// The turns of principals on one event loop, which divide its time. Work that takes longer than a time slice goes on
/// after the others have had their turn and the loop has looked at its sockets.
///
/// A principal with many connections gets no more time than one with a single connection.
///
/// Confined to its event loop.
final class LoopTurns {
    /// The nanoseconds after which work must wait for its next turn. They are few, because a request comes to its loop
    /// twice, when it is read and when it is answered, and each time may have to wait for the slice of another.
    static let timeSliceNanoseconds: UInt64 = 500_000
    /// The time between two slices. A loop runs its tasks until none is left: without that time it would not see its
    /// sockets.
    private static let interval = TimeAmount.microseconds(50)

    private let loop: any EventLoop
    private var waiting = RoundRobinQueue<() -> Void>(maximumRunning: 1)
    private var isScheduled = false

    init(on loop: any EventLoop) {
        self.loop = loop
    }

    /// Returns true if work of that principal waits. Further work of the principal must wait behind it.
    func isWaiting(_ principal: String) -> Bool { waiting.isWaiting(principal) }

    /// Calls `body` when it is that principal's turn. `body` must return after about a time slice.
    func append(of principal: String, _ body: @escaping () -> Void) {
        waiting.append(body, of: principal)
        schedule()
    }

    private func schedule() {
        guard !isScheduled, waiting.count > 0 else { return }
        isScheduled = true
        loop.assumeIsolated().scheduleTask(in: Self.interval) { [self] in
            isScheduled = false
            let end = Clock.uptimeNanoseconds() + Self.timeSliceNanoseconds
            while Clock.uptimeNanoseconds() < end, let (body, principal) = waiting.begin() {
                body()
                waiting.pieceEnded(of: principal)
            }
            schedule()
        }
    }
}

/// The state of one connection's reading. It is stopped for a time, or until the other connections of the loop have had
/// their turn. A time slice bounds the work of one turn.
struct ReadingTurn {
    /// True while the reading waits: for memory, for a position of the shared log, or for its turn.
    private(set) var isStopped = false
    /// True while the connection has its turn.
    private(set) var isUnderWay = false
    /// The time at which the time slice ends, in nanoseconds of uptime.
    private(set) var timeSliceEndNanoseconds: UInt64 = 0

    /// Stops the reading; returns false if it was stopped already. `resume` or `begin` must follow.
    mutating func stop() -> Bool {
        guard !isStopped else { return false }
        isStopped = true
        return true
    }

    /// Ends the stop, without a turn.
    mutating func resume() { isStopped = false }

    /// Ends the stop and begins a turn.
    mutating func begin() {
        isStopped = false
        isUnderWay = true
    }

    mutating func end() { isUnderWay = false }

    mutating func beginTimeSlice(atNanoseconds now: UInt64) {
        timeSliceEndNanoseconds = now + LoopTurns.timeSliceNanoseconds
    }

    func isTimeSliceOver(atNanoseconds now: UInt64) -> Bool { now >= timeSliceEndNanoseconds }
}
