import CarillonSimulator
import NIOCore
import Synchronization

/// The state that all connections share: rules, delivery history, counters, the record, and clients that wait.
final class SimulatorState: Sendable {
    /// A command to all connections.
    enum Command: Sendable {
        case maxStreams(UInt32)
        case fault(Fault.Action)
        /// End the lasting faults: read at full speed, and answer PINGs.
        case calm
    }

    struct State: ~Copyable {
        var rules: Rules
        var history = DeliveryHistory()
        var rejected: [Rejection: Int] = [:]
        var requests = 0
        /// The number of times that a client has broken HTTP/2 or exceeded its stream limit.
        var violations = 0
        var maxStreams: UInt32
        var recorder: Recorder
        var payloads: [DeviceToken: [UInt8]] = [:]
        var connections: [Int: @Sendable (Command) -> Void] = [:]
        var connectionCount = 0
        var waiters: [Waiter] = []
        var arrivals = Arrivals()
        var channels: ChannelStore
        /// Broadcast pushes that were accepted.
        var broadcasts = 0

        /// Returns true if at least `count` pushes were accepted, to one device or to all.
        func hasAccepted(_ count: Int, for token: DeviceToken?) -> Bool {
            (token.map { Int(history.record(of: $0).accepted) } ?? history.accepted) >= count
        }

        /// Counts an answer other than of success, by status and reason.
        mutating func countRejection(_ rejection: Rejection) {
            guard rejected.count < SimulatorState.maximumReasons || rejected[rejection] != nil else { return }
            rejected[rejection, default: 0] += 1
        }

        /// Counts an accepted push, and records its arrival time if it is the first with its id.
        mutating func recordArrival(of push: PushRequest, for token: DeviceToken) {
            let duplicates = history.duplicates
            history.record(token, id: push.id)
            if history.duplicates == duplicates { arrivals.record(push.payload, at: microseconds()) }
        }
    }

    /// A client that waits until `count` pushes were accepted, to one device or to all.
    struct Waiter {
        var count: Int
        var token: DeviceToken?
        var done: @Sendable () -> Void
    }

    let validator: Validator
    /// `production` or `sandbox`.
    let environment: String
    /// The stream limit of a client before its first good push.
    let unprovenStreams: UInt32
    let delay: Int64
    let keepsPayloads: Bool
    private let state: Mutex<State>

    private static let maximumPayloads = 1 << 20
    fileprivate static let maximumReasons = 1000

    init(
        validator: Validator,
        rules: Rules,
        recorder: Recorder,
        maxStreams: UInt32,
        unprovenStreams: UInt32 = 1,
        delay: Int64,
        keepsPayloads: Bool
    ) {
        self.validator = validator
        environment = rules.environment
        self.unprovenStreams = unprovenStreams
        self.delay = delay
        self.keepsPayloads = keepsPayloads
        state = Mutex(
            State(rules: rules, maxStreams: maxStreams, recorder: recorder, channels: ChannelStore(seed: rules.seed)))
    }

    /// Calls `body` with exclusive access to the state.
    func withState<Result: Sendable>(_ body: (inout State) throws -> Result) rethrows -> Result {
        try state.withLock { try body(&$0) }
    }

    /// Judges a push and records it; `now` is in milliseconds since 1970, and the clock is wrong by `skew` seconds.
    func judge(
        _ push: PushRequest,
        on connection: inout Validator.Connection,
        state: inout State,
        now: Int64,
        skew: Int64 = 0,
        id: UnsafeRawBufferPointer
    ) -> Verdict {
        state.requests += 1
        var (verdict, token) = validator.verdict(on: push, connection: &connection, now: now / 1000 + skew)
        if verdict == .accepted, let token {
            let hex = push.path.dropFirst(bytes: 10)
            verdict = state.rules.verdict(on: token, hex: hex, topic: push.topic, at: now)
        }
        switch verdict {
        case .accepted:
            guard let token else { break }
            if state.arrivals.isWanted {
                state.recordArrival(of: push, for: token)
            } else {
                state.history.enqueue(token, id: push.id)
            }
            if keepsPayloads, state.payloads.count < SimulatorState.maximumPayloads {
                state.payloads[token] = Array(push.payload)
            }
        case .rejected(let rejection):
            if let token { state.history.recordRefusal(token, status: rejection.status) }
            state.countRejection(rejection)
        // Only of channel management.
        case .replied: break
        }
        state.recorder.append(push, id: id, verdict)
        return verdict
    }

    /// Counts the accepted pushes, wakes the clients whose count is reached, and writes the record.
    func burstEnded(_ state: inout State) {
        state.history.flush()
        state.recorder.flush()
        guard !state.waiters.isEmpty else { return }
        let waiters = state.waiters
        state.waiters = []
        for waiter in waiters {
            if state.hasAccepted(waiter.count, for: waiter.token) {
                waiter.done()
            } else {
                state.waiters.append(waiter)
            }
        }
    }

    /// Sends a command to all connections and returns how many there are.
    @discardableResult
    func sendToAll(_ command: Command) -> Int {
        let connections = withState { Array($0.connections.values) }
        for send in connections { send(command) }
        return connections.count
    }

    /// Starts the faults for all open connections, each after its delay.
    func startPendingFaults(on loop: any EventLoop) {
        for fault in withState({ $0.rules.faults.removePending() }) {
            if fault.after == 0 {
                sendToAll(.fault(fault.action))
            } else {
                loop.scheduleTask(in: .milliseconds(fault.after)) { [self] in sendToAll(.fault(fault.action)) }
            }
        }
    }

    /// Returns the faults that happen to a connection at a moment of its life.
    func faults(at moment: Fault.Moment) -> [Fault.Action] {
        withState { $0.rules.faults.happening(moment, at: milliseconds()).map(\.action) }
    }

    /// Returns true if a fault may happen to a connection at a moment of its life.
    func mayHaveFaults(at moment: Fault.Moment) -> Bool {
        withState { $0.rules.faults.mayHappen(moment) }
    }

    /// Counters as one JSON line.
    var stats: String {
        withState { state in
            var reasons: [String: Int] = [:]
            for (rejection, count) in state.rejected { reasons[rejection.reason, default: 0] += count }
            let rejected = reasons.sorted { $0.key < $1.key }.map { "\(quoted($0.key)):\($0.value)" }
            let faults = state.rules.faults.happened.sorted { $0.key < $1.key }.map { "\(quoted($0.key)):\($0.value)" }
            return "{\"requests\":\(state.requests),\"accepted\":\(state.history.accepted),"
                + "\"duplicates\":\(state.history.duplicates),\"devices\":\(state.history.devices),"
                + "\"connections\":\(state.connections.count),\"connections-ever\":\(state.connectionCount),"
                + "\"channels\":\(state.channels.count),\"broadcasts\":\(state.broadcasts),\"max-streams\":\(state.maxStreams),\"violations\":\(state.violations),"
                + "\"rejected\":{\(rejected.joined(separator: ","))},\"faults\":{\(faults.joined(separator: ","))}}"
        }
    }
}
