import CarillonSimulator
import Glibc
import NIOCore
import Synchronization

/// The state that all connections share: services, rules, counters, the record, and clients that wait.
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
        var fcm: FCM
        var web: WebPush
        var tokens = AccessTokens()
        /// Answers other than a success, by service and fault.
        var rejected: [String: Int] = [:]
        var requests = 0
        /// Requests about a device that came before the pause was over which the last answer about it has asked for.
        var hasty = 0
        /// The ends of such pauses, in milliseconds since 1970.
        var pauses: [String: Int64] = [:]
        /// Requests to the token endpoint.
        var tokenRequests = 0
        /// The number of times that a client has broken HTTP/2, sent PINGs, or exceeded its stream limit.
        var violations = 0
        var maxStreams: UInt32
        var recordFile: Int32
        var connections: [Int: @Sendable (Command) -> Void] = [:]
        var connectionCount = 0
        var waiters: [Waiter] = []

        /// Messages accepted.
        var accepted: Int { fcm.accepted + web.accepted }
    }

    /// A client that waits until that many messages were accepted.
    struct Waiter {
        var count: Int
        var done: @Sendable () -> Void
    }

    let endpoint: TokenEndpoint
    /// The delay of every answer, in milliseconds.
    let delay: Int64
    /// PINGs that a client may send on one connection.
    let maximumPings: Int
    /// Idle time, in milliseconds, after which a connection gets a GOAWAY.
    let idleMilliseconds: Int64
    private let state: Mutex<State>

    private static let maximumReasons = 1_000
    private static let maximumPauses = 1 << 18

    init(
        endpoint: TokenEndpoint, fcm: FCM, web: WebPush, rules: Rules, recordFile: Int32 = -1,
        maxStreams: UInt32 = 100, delay: Int64 = 0, maximumPings: Int = 2, idleMilliseconds: Int64 = 180_000
    ) {
        self.endpoint = endpoint
        self.delay = delay
        self.maximumPings = maximumPings
        self.idleMilliseconds = idleMilliseconds
        state = Mutex(State(rules: rules, fcm: fcm, web: web, maxStreams: maxStreams, recordFile: recordFile))
    }

    /// Calls `body` with exclusive access to the state.
    func withState<Result: Sendable>(_ body: (inout State) throws -> Result) rethrows -> Result {
        try state.withLock { try body(&$0) }
    }

    /// Adds a rule.
    func add(_ json: String) throws {
        try withState { state in
            switch try state.rules.add(json) {
            case .device(let token, let value): state.fcm.states[token] = value
            case .subscription(let id): state.web.gone.insert(id)
            case .rule: break
            }
        }
    }

    /// Returns what the prefixes of rules are compared with: the device of a request, as far as its path or body names
    /// it.
    static func key(of message: PushRequest) -> [UInt8] {
        switch Service(path: message.path) {
        case .oauth: return Array("oauth".utf8)
        case .web: return Array(message.path.utf8.dropFirst("/push/".utf8.count))
        case .fcm:
            let text = String(decoding: message.body, as: UTF8.self)
            for name in ["\"token\":\"", "\"fid\":\""] {
                let parts = text.split(separator: name, maxSplits: 1, omittingEmptySubsequences: false)
                if parts.count == 2 { return Array(parts[1].utf8.prefix { $0 != UInt8(ascii: "\"") }) }
            }
            return []
        }
    }

    /// Judges a request and records it; `now` is in milliseconds since 1970, and the clock is wrong by `skew` seconds.
    func reply(to message: PushRequest, state: inout State, at now: Int64, skew: Int64 = 0) -> Reply {
        state.requests += 1
        let service = Service(path: message.path)
        let clock = now + skew * 1_000
        var (device, reply) = ("", Reply(status: 500))
        let key = String(decoding: Self.key(of: message), as: UTF8.self)
        if let ruled = state.rules.answer(
            of: service, on: key, style: state.web.style, at: now)
        {
            (device, reply) = (key, ruled)
            if service == .oauth { state.tokenRequests += 1 }
        } else {
            switch service {
            case .oauth:
                state.tokenRequests += 1
                reply = endpoint.reply(to: message, tokens: &state.tokens, at: clock)
            case .fcm: (device, reply) = state.fcm.reply(to: message, tokens: state.tokens, at: clock)
            case .web: (device, reply) = state.web.reply(to: message, at: clock)
            }
        }
        note(reply, of: service, device: key, in: &state, at: now)
        if !reply.isAccepted {
            let name = "\(service.rawValue)-\(reply.fault)"
            if state.rejected.count < Self.maximumReasons || state.rejected[name] != nil {
                state.rejected[name, default: 0] += 1
            }
        }
        record(reply, of: service, device: device, to: message, in: state)
        return reply
    }

    /// After 429 a client waits for as long as the answer says, or a minute; after an error of the service, ten seconds.
    private func note(_ reply: Reply, of service: Service, device: String, in state: inout State, at now: Int64) {
        guard service != .oauth, !device.isEmpty else { return }
        if let end = state.pauses.removeValue(forKey: device), now < end { state.hasty += 1 }
        guard reply.status == 429 || reply.status >= 500, state.pauses.count < Self.maximumPauses else { return }
        let asked = (reply.fields["retry-after"].flatMap { Int64($0) } ?? 0) * 1_000
        let usual: Int64 = service == .web ? 0 : reply.status == 429 ? 60_000 : 10_000
        state.pauses[device] = now + (reply.status == 429 && asked > 0 ? asked : max(asked, usual))
    }

    private func record(
        _ reply: Reply, of service: Service, device: String, to message: PushRequest, in state: borrowing State
    ) {
        guard state.recordFile >= 0, service != .oauth else { return }
        let payload =
            service == .web
            ? state.web.records[device]?.payload ?? "" : String(decoding: message.body, as: UTF8.self)
        let line =
            "{\"time\":\(milliseconds()),\"service\":\"\(service.rawValue)\",\"device\":\(quoted(device)),"
            + "\"status\":\(reply.status),\"fault\":\(quoted(reply.fault)),\"payload\":\(quoted(payload))}\n"
        var text = line
        text.withUTF8 { _ = Glibc.write(state.recordFile, $0.baseAddress, $0.count) }
    }

    /// Wakes the clients whose count is reached.
    func burstEnded(_ state: inout State) {
        guard !state.waiters.isEmpty else { return }
        let waiters = state.waiters
        state.waiters = []
        for waiter in waiters {
            if state.accepted >= waiter.count { waiter.done() } else { state.waiters.append(waiter) }
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
            loop.scheduleTask(in: .milliseconds(fault.after)) { [self] in sendToAll(.fault(fault.action)) }
        }
    }

    /// Returns the faults that happen to a connection at a moment of its life.
    func faults(at moment: Fault.Moment) -> [Fault.Action] {
        withState { $0.rules.faults.happening(moment, at: milliseconds()).map(\.action) }
    }

    /// Counters as one JSON line.
    var stats: String {
        withState { state in
            func list(_ counts: [String: Int]) -> String {
                counts.sorted { $0.key < $1.key }.map { "\(quoted($0.key)):\($0.value)" }.joined(separator: ",")
            }
            return "{\"requests\":\(state.requests),\"accepted\":\(state.accepted),"
                + "\"fcm\":{\"accepted\":\(state.fcm.accepted),\"duplicates\":\(state.fcm.duplicates),"
                + "\"devices\":\(state.fcm.devices.count),\"crowded\":\(state.fcm.crowded)},"
                + "\"web\":{\"accepted\":\(state.web.accepted),\"unreadable\":\(state.web.unreadable)},"
                + "\"oauth\":{\"requests\":\(state.tokenRequests),\"issued\":\(state.tokens.issued)},"
                + "\"connections\":\(state.connections.count),\"connections-ever\":\(state.connectionCount),"
                + "\"max-streams\":\(state.maxStreams),\"violations\":\(state.violations),"
                + "\"hasty\":\(state.hasty),"
                + "\"rejected\":{\(list(state.rejected))},\"faults\":{\(list(state.rules.faults.happened))}}"
        }
    }
}
