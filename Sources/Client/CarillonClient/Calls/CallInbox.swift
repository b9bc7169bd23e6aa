import CarillonCore
import Synchronization

/// The commands of tasks for the dispatcher of a client, in their sequence. The event loop takes all of them at once.
final class CallInbox: Sendable {
    /// A command for the dispatcher.
    enum Command {
        case begin(Call, id: UInt64)
        case cancel(UInt64)
        case readAfter(ClusterPosition)
        case close(drainTimeout: Duration, CheckedContinuation<Void, Never>)
    }

    private struct State {
        var commands: [Command] = []
        var lastCall: UInt64 = 0
        /// True if the next command wakes the event loop; false once one has, or while the loop waits a moment.
        var mustWake = true
    }

    /// The maximum number of commands for which memory is kept reserved.
    private static let reservedCount = 4_096

    private let state = Mutex(State())

    /// Adds a command. Returns the id of a new call, and whether the event loop must be woken to take the commands.
    func put(_ command: (_ nextCall: UInt64) -> Command) -> (id: UInt64, mustWake: Bool) {
        state.withLock { state in
            state.lastCall += 1
            state.commands.append(command(state.lastCall))
            defer { state.mustWake = false }
            return (state.lastCall, state.mustWake)
        }
    }

    /// Removes and returns all commands; the next one wakes the event loop.
    func take() -> [Command] {
        state.withLock { state in
            let commands = state.commands
            state.commands = []
            // Usually about as many commands come again.
            state.commands.reserveCapacity(min(commands.count, Self.reservedCount))
            state.mustWake = true
            return commands
        }
    }

    /// Lets no command wake the event loop until the commands are taken, which the caller does soon. Returns false if a
    /// command has woken it meanwhile.
    func holdWakes() -> Bool {
        state.withLock { state in
            defer { state.mustWake = false }
            return state.mustWake
        }
    }
}
