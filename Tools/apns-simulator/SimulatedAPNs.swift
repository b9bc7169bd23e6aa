import CarillonHTTP2
import CarillonHTTP2Server
import CarillonSimulator
import CarillonTLS
import Synchronization

/// The state that all connections share: rules, delivery history, counters, the record, and clients that wait.
final class SimulatedAPNs: SimulatedService {
    struct State: ~Copyable {
        var rules: APNsSimulatorRules
        var history = DeliveryHistory()
        var rejectionCounts: [Rejection: Int] = [:]
        var requestCount = 0
        var recorder: Recorder
        var payloads: [RawToken: [UInt8]] = [:]
        var waiters: [Waiter] = []
        var arrivalRecorder = ArrivalRecorder()
        var channels: ChannelStore

        /// Returns true if at least `count` pushes were accepted, to one device or to all.
        func hasAccepted(_ count: Int, for token: RawToken?) -> Bool {
            (token.map { Int(history.record(of: $0).acceptedCount) } ?? history.acceptedCount) >= count
        }

        /// Counts a response other than a success, by status and reason.
        mutating func countRejection(_ rejection: Rejection) {
            guard rejectionCounts.count < SimulatedAPNs.maximumReasons || rejectionCounts[rejection] != nil else {
                return
            }
            rejectionCounts[rejection, default: 0] += 1
        }

        /// Counts an accepted push, and records its arrival time if it is the first with its id.
        mutating func recordArrival(of push: ReceivedPush, for token: RawToken) {
            let duplicateCount = history.duplicateCount
            history.record(token, id: push.id)
            if history.duplicateCount == duplicateCount {
                arrivalRecorder.record(push.payload, at: microsecondsSince1970())
            }
        }
    }

    /// A client that waits until `count` pushes were accepted, to one device or to all.
    struct Waiter {
        var count: Int
        var token: RawToken?
        var done: @Sendable () -> Void
    }

    let connections: OpenConnections
    let goAway = Fault.GoAway(reason: "Shutdown")
    let validator: PushValidator
    /// The name of the environment: `production` or `sandbox`.
    let environment: String
    /// True if the environment is the sandbox, in which every push gets an id of APNs.
    let isSandbox: Bool
    /// The stream limit of a client before its first good push.
    private let unprovenStreams: UInt32
    let delayMilliseconds: Int64
    let keepsPayloads: Bool
    private let state: Mutex<State>

    private static let maximumPayloads = 1 << 20
    fileprivate static let maximumReasons = 1000

    init(
        validator: PushValidator,
        rules: APNsSimulatorRules,
        recorder: Recorder,
        maxStreams: UInt32,
        unprovenStreams: UInt32 = 1,
        delayMilliseconds: Int64,
        keepsPayloads: Bool
    ) {
        connections = OpenConnections(maxStreams: maxStreams)
        self.validator = validator
        environment = rules.environment
        isSandbox = environment == "sandbox"
        self.unprovenStreams = unprovenStreams
        self.delayMilliseconds = delayMilliseconds
        self.keepsPayloads = keepsPayloads
        state = Mutex(
            State(rules: rules, recorder: recorder, channels: ChannelStore(seed: rules.seed)))
    }

    /// Calls `body` with exclusive access to the state.
    func withState<Result: Sendable>(_ body: (inout State) throws -> Result) rethrows -> Result {
        try state.withLock { try body(&$0) }
    }

    func withFaults<Result: Sendable>(_ body: (inout Faults) throws -> Result) rethrows -> Result {
        try withState { try body(&$0.rules.faults) }
    }

    func addRule(_ json: String) throws { try withState { try $0.rules.add(json) } }

    func removeFaults() { withState { $0.rules.removeFaults() } }

    func reset() {
        withState { state in
            state.history.removeAll()
            state.rejectionCounts = [:]
            state.requestCount = 0
            state.payloads = [:]
        }
    }

    /// Makes the connection of a client that was accepted.
    ///
    /// - Parameter isForChannels: true on the port of channel management.
    func connection(_ context: TLSContext, isForChannels: Bool = false) throws -> SimulatorConnection {
        var settings = ConnectionSettings(
            streamLimitExceeded: (.refusedStream, "Maximum active streams violated for this endpoint."))
        settings.http2.maxConcurrentStreams = unprovenStreams
        settings.http2.connectionWindowSize = 16 << 20
        settings.sendsSettingsEarly = true
        let responder = try APNsResponder(self, isForChannels: isForChannels)
        return try SimulatorConnection(service: self, responder: responder, settings: settings, context: context)
    }

    /// Judges a push and records it.
    func judge(
        _ push: ReceivedPush, at arrival: RequestArrival, with credentials: inout PushValidator.Credentials,
        state: inout State
    ) -> SimulatedResponse {
        state.requestCount += 1
        var (response, token) = validator.response(to: push, with: &credentials, atSeconds: arrival.seconds)
        if response == .accepted, let token, let hex = push.deviceToken {
            response = state.rules.response(to: token, hex: hex, topic: push.topic, at: arrival.milliseconds)
        }
        switch response {
        case .accepted:
            guard let token else { break }
            if state.arrivalRecorder.isWanted {
                state.recordArrival(of: push, for: token)
            } else {
                state.history.enqueue(token, id: push.id)
            }
            if keepsPayloads, state.payloads.count < SimulatedAPNs.maximumPayloads {
                state.payloads[token] = Array(push.payload)
            }
        case .rejected(let rejection):
            if let token { state.history.recordRefusal(token, status: rejection.status) }
            state.countRejection(rejection)
        // Only of channels.
        case .channel: break
        }
        state.recorder.append(push, at: arrival, response: response)
        return response
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

    var stats: String {
        withState { state in
            var reasons: [String: Int] = [:]
            for (rejection, count) in state.rejectionCounts { reasons[rejection.reason, default: 0] += count }
            let rejected = reasons.sorted { $0.key < $1.key }.map { "\($0.key.asJSON):\($0.value)" }
            let faults = state.rules.faults.happened.sorted { $0.key < $1.key }.map { "\($0.key.asJSON):\($0.value)" }
            return "{\"requests\":\(state.requestCount),\"accepted\":\(state.history.acceptedCount),"
                + "\"duplicates\":\(state.history.duplicateCount),\"devices\":\(state.history.deviceCount),"
                + "\"connections\":\(connections.count),\"connections-ever\":\(connections.everOpened),"
                + "\"channels\":\(state.channels.count),\"broadcasts\":\(state.channels.broadcastCount),"
                + "\"max-streams\":\(connections.maxStreams),\"violations\":\(connections.violations),"
                + "\"rejected\":{\(rejected.joined(separator: ","))},\"faults\":{\(faults.joined(separator: ","))}}"
        }
    }
}
