import Synchronization

/// The time of a task's last activity, readable from another task.
final class Activity: Sendable {
    private struct State {
        var last = ContinuousClock.now
        var hasEnded = false
    }

    private let state = Mutex(State())

    /// The time since the last activity.
    var idleTime: Duration { state.withLock { $0.last.duration(to: .now) } }

    /// True if the task has ended.
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Records an activity now.
    func record() { state.withLock { $0.last = .now } }

    /// Records that the task has ended.
    func end() { state.withLock { $0.hasEnded = true } }
}
