import Synchronization

/// The open connections of a simulator, their stream limit, and their counts.
package final class OpenConnections: Sendable {
    package enum Command: Sendable {
        case maxStreams(UInt32)
        case fault(Fault.Action)
        /// The lasting faults end: the connection reads at full speed, and answers PINGs.
        case endFaults
    }

    private struct State {
        var senders: [Int: @Sendable (Command) -> Void] = [:]
        var everOpened = 0
        var violations = 0
        var maxStreams: UInt32
    }

    private let state: Mutex<State>

    package init(maxStreams: UInt32) { state = Mutex(State(maxStreams: maxStreams)) }

    package var count: Int { state.withLock { $0.senders.count } }
    package var everOpened: Int { state.withLock { $0.everOpened } }
    /// The number of times that a client has broken HTTP/2 or a rule of the simulator for connections.
    package var violations: Int { state.withLock { $0.violations } }
    /// The stream limit of a client.
    package var maxStreams: UInt32 { state.withLock { $0.maxStreams } }

    /// Adds a connection, and returns its number. `send` gives a command to it on its event loop.
    func add(_ send: @escaping @Sendable (Command) -> Void) -> Int {
        state.withLock { state in
            state.everOpened += 1
            state.senders[state.everOpened] = send
            return state.everOpened
        }
    }

    func remove(_ number: Int) { state.withLock { $0.senders[number] = nil } }

    func countViolation() { state.withLock { $0.violations += 1 } }

    func forgetViolations() { state.withLock { $0.violations = 0 } }

    /// Sends a command to all connections, and returns their number.
    @discardableResult
    func sendToAll(_ command: Command) -> Int {
        let senders = state.withLock { state in
            if case .maxStreams(let limit) = command { state.maxStreams = limit }
            return Array(state.senders.values)
        }
        for send in senders { send(command) }
        return senders.count
    }
}
