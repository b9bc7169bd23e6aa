import CarillonCore
import NIOCore

/// The timers of a connection group for its attempts to connect. All calls are made on the pool's home event loop.
///
/// A timer keeps what its body holds, until it fires or is cancelled.
final class ConnectAttemptTimers {
    private let loop: any EventLoop
    /// The timer of the next attempt, for work that waits until the machine allows it; nil if none is set.
    private var nextAttempt: (at: Uptime, task: Scheduled<Void>)?
    /// The timer of the second attempt, in case the last attempt stays undecided for a long time. It may have fired.
    private var secondAttempt: Scheduled<Void>?

    init(on loop: any EventLoop) {
        self.loop = loop
    }

    /// Schedules the call of `body` at `time`, in place of a call that is scheduled for later. Returns false
    /// without a change if a call is scheduled for this time or earlier.
    func scheduleNextAttempt(at time: Uptime, now: Uptime, _ body: @escaping () -> Void) -> Bool {
        if let nextAttempt, nextAttempt.at <= time { return false }
        nextAttempt?.task.cancel()
        let task = schedule(afterMilliseconds: time - now) {
            self.nextAttempt = nil
            body()
        }
        nextAttempt = (time, task)
        return true
    }

    func cancelNextAttempt() {
        nextAttempt?.task.cancel()
        nextAttempt = nil
    }

    /// Schedules the call of `body` for the time when the attempt that begins now will have been undecided for
    /// `milliseconds`. It replaces the call for the attempt before.
    func scheduleSecondAttempt(milliseconds: UInt64, _ body: @escaping () -> Void) {
        secondAttempt?.cancel()
        secondAttempt = schedule(afterMilliseconds: milliseconds, body)
    }

    /// Stops both timers.
    func cancel() {
        cancelNextAttempt()
        secondAttempt?.cancel()
    }

    private func schedule(afterMilliseconds milliseconds: UInt64, _ body: @escaping () -> Void) -> Scheduled<Void> {
        loop.assumeIsolated().scheduleTask(in: .milliseconds(Int64(clamping: milliseconds))) { body() }
    }
}
