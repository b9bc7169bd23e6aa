import CarillonCore
import CarillonSession
import NIOCore
import Synchronization

/// The commands of tasks for the dispatcher of a client, in their sequence. The event loop takes all of them at once.
final class CallInbox: Sendable {
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

    /// The most commands that memory stays reserved for.
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

/// Carries out the commands that tasks have put into the inbox.
extension CallDispatcher {
    /// Takes the commands of the tasks out of the inbox, and carries them out.
    func takeCommands() {
        let commands = inbox.take()
        for command in commands {
            switch command {
            case .begin(let call, let id): begin(call, id: id)
            case .cancel(let id): cancel(id)
            case .readAfter(let position): readAfter(position)
            case .close(let drainTimeout, let continuation):
                close(drainTimeout: drainTimeout, continuation: continuation)
            }
        }
        commandPacing.commandsTaken(commands.count, callsUnderWay: calls.count)
        if commandPacing.isWaiting { waitForCommands() }
    }

    /// Takes the next commands after a moment; until then none of them wakes the event loop.
    private func waitForCommands() {
        guard inbox.holdWakes() else { return }
        let wait = TimeAmount.microseconds(CommandPacing.waitMicroseconds)
        eventLoop.assumeIsolated().scheduleTask(in: wait) { [weak self] in self?.takeCommands() }
    }
}

/// Decides whether the event loop waits a moment before it takes the commands of tasks.
///
/// To wake the event loop costs more than a request: two system calls and two switches between threads. If the
/// scheduler lets the loop run for each command although more follow, the loop takes them in intervals.
struct CommandPacing {
    /// The time that the loop waits for more commands, in microseconds.
    static let waitMicroseconds: Int64 = 50
    /// The number of calls under way that lets the loop wait; with fewer, it takes each command at once.
    static let minimumCalls = 32
    /// The number of small takings in a row, of one or two commands each, after which the loop waits.
    static let maximumSmallTakings = 4

    private var smallTakings = 0
    /// True if the loop waits before it takes the next commands.
    private(set) var isWaiting = false

    /// Records that commands were taken, and decides whether the loop waits before the next ones.
    ///
    /// - Parameter callsUnderWay: the number of calls that have no answer yet.
    mutating func commandsTaken(_ commands: Int, callsUnderWay: Int) {
        guard !isWaiting else {
            isWaiting = commands > 1
            return
        }
        smallTakings = commands <= 2 && callsUnderWay >= Self.minimumCalls ? smallTakings + 1 : 0
        guard smallTakings >= Self.maximumSmallTakings else { return }
        smallTakings = 0
        isWaiting = true
    }
}
