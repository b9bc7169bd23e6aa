import CarillonCommandLine
import Synchronization

/// When something was last done, for another task to see.
final class Activity: Sendable {
    private struct State {
        var last = ContinuousClock.now
        var hasEnded = false
    }

    private let state = Mutex(State())

    /// How long nothing has been done.
    var idle: Duration { state.withLock { $0.last.duration(to: .now) } }

    /// Whether nothing will be done any more.
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Something was done.
    func note() { state.withLock { $0.last = .now } }

    /// That was all.
    func end() { state.withLock { $0.hasEnded = true } }
}
