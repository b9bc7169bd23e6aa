import CarillonHTTP2
import CarillonHTTP2Server
import CarillonSimulator
import CarillonTLS
import Glibc
import Synchronization

/// The state that all connections share: services, rules, counters, the record, and clients that wait.
final class PushServices: SimulatedService {
    struct State: ~Copyable {
        var rules: PushSimulatorRules
        var fcm: FCM
        var web: WebPush
        var tokens = AccessTokens()
        /// The numbers of responses other than a success, by service and fault.
        var rejectionCounts: [String: Int] = [:]
        var requestCount = 0
        /// The number of requests about a device that came too early: before the end of the pause that the last
        /// response about it has asked for.
        var earlyRequestCount = 0
        /// The ends of the pauses that responses have asked for, in milliseconds since 1970.
        var pauseEnds: [String: Int64] = [:]
        var tokenRequestCount = 0
        var recordFile: Int32
        var waiters: [Waiter] = []

        var acceptedCount: Int { fcm.acceptedCount + web.acceptedCount }
    }

    /// The bounds of one connection of a client; the defaults are those of Google's front end.
    struct ClientLimits {
        var streams: UInt32 = 100
        var pings = 2
        /// The idle time, in milliseconds, after which the connection gets a GOAWAY.
        var idleMilliseconds: Int64 = 180_000
    }

    /// A client that waits until a number of messages were accepted.
    struct Waiter {
        var count: Int
        var done: @Sendable () -> Void
    }

    let connections: OpenConnections
    let goAway = Fault.GoAway()
    let endpoint: TokenEndpoint
    /// The delay of every response.
    let delayMilliseconds: Int64
    private let limits: ClientLimits
    private let state: Mutex<State>

    private static let maximumReasons = 1_000
    private static let maximumPauses = 1 << 18

    init(
        endpoint: TokenEndpoint, fcm: FCM, web: WebPush, rules: PushSimulatorRules, recordFile: Int32 = -1,
        limits: ClientLimits = ClientLimits(), delayMilliseconds: Int64 = 0
    ) {
        connections = OpenConnections(maxStreams: limits.streams)
        self.endpoint = endpoint
        self.delayMilliseconds = delayMilliseconds
        self.limits = limits
        state = Mutex(State(rules: rules, fcm: fcm, web: web, recordFile: recordFile))
    }

    /// Calls `body` with exclusive access to the state.
    func withState<Result: Sendable>(_ body: (inout State) throws -> Result) rethrows -> Result {
        try state.withLock { try body(&$0) }
    }

    func withFaults<Result: Sendable>(_ body: (inout Faults) throws -> Result) rethrows -> Result {
        try withState { try body(&$0.rules.faults) }
    }

    func addRule(_ json: String) throws {
        try withState { state in
            switch try state.rules.add(json) {
            case .device(let token, let value): state.fcm.states[token] = value
            case .subscription(let id): state.web.goneBrowsers.insert(id)
            case .rule: break
            }
        }
    }

    func removeFaults() { withState { $0.rules.removeFaults() } }

    func reset() {
        withState { state in
            state.fcm.reset()
            state.web.reset()
            state.rejectionCounts = [:]
            state.requestCount = 0
            state.tokenRequestCount = 0
            state.earlyRequestCount = 0
            state.pauseEnds = [:]
        }
    }

    /// Makes a connection of a client, with the habits of Google's front end.
    func connection(_ context: TLSContext) throws -> SimulatorConnection {
        var settings = ConnectionSettings(streamLimitExceeded: (.protocolError, "exceeded_max_concurrent_streams"))
        settings.http2.maxConcurrentStreams = connections.maxStreams
        settings.http2.connectionWindowSize = 1 << 20
        settings.http2.maximumBodyBytes = 16 << 10
        settings.maximumPings = limits.pings
        settings.idleMilliseconds = limits.idleMilliseconds
        return try SimulatorConnection(
            service: self, responder: ServiceResponder(self), settings: settings, context: context)
    }

    /// Returns the text that the prefixes of rules are compared with: the device of a request, as far as its path or
    /// body names it.
    static func key(of request: ReceivedRequest) -> [UInt8] {
        switch Service(path: request.path) {
        case .oauth: return Array("oauth".utf8)
        case .web: return Array((request.browser ?? "").utf8)
        case .fcm:
            let text = String(decoding: request.body, as: UTF8.self)
            for name in ["\"token\":\"", "\"fid\":\""] {
                let parts = text.split(separator: name, maxSplits: 1, omittingEmptySubsequences: false)
                if parts.count == 2 { return Array(parts[1].utf8.prefix { $0 != UInt8(ascii: "\"") }) }
            }
            return []
        }
    }

    /// Judges a request and records it. `now` is in milliseconds since 1970, and the clock is wrong by `skewSeconds`.
    func response(to request: ReceivedRequest, state: inout State, at now: Int64, skewSeconds: Int64 = 0)
        -> ServiceResponse
    {
        state.requestCount += 1
        let service = Service(path: request.path)
        let clock = now + skewSeconds * 1_000
        var device = ""
        var response = ServiceResponse(status: 500)
        let key = String(decoding: Self.key(of: request), as: UTF8.self)
        if let ruled = state.rules.response(of: service, on: key, at: now) {
            device = key
            response = ruled
            if service == .oauth { state.tokenRequestCount += 1 }
        } else {
            switch service {
            case .oauth:
                state.tokenRequestCount += 1
                response = endpoint.response(to: request, tokens: &state.tokens, at: clock)
            case .fcm: (device, response) = state.fcm.response(to: request, tokens: state.tokens, at: clock)
            case .web: (device, response) = state.web.response(to: request, at: clock)
            }
        }
        recordPause(after: response, of: service, device: key, in: &state, at: now)
        if !response.isAccepted {
            let name = "\(service.rawValue)-\(response.fault)"
            if state.rejectionCounts.count < Self.maximumReasons || state.rejectionCounts[name] != nil {
                state.rejectionCounts[name, default: 0] += 1
            }
        }
        record(response, of: service, device: device, to: request, in: state)
        return response
    }

    /// Records the pause that a response asks the client to make: after 429 as long as the response says, or a minute;
    /// after an error of the service, ten seconds. Counts a request that came before the end of the last pause.
    private func recordPause(
        after response: ServiceResponse, of service: Service, device: String, in state: inout State, at now: Int64
    ) {
        guard service != .oauth, !device.isEmpty else { return }
        if let end = state.pauseEnds.removeValue(forKey: device), now < end { state.earlyRequestCount += 1 }
        guard response.status == 429 || response.status >= 500, state.pauseEnds.count < Self.maximumPauses else {
            return
        }
        let asked = (response.fields["retry-after"].flatMap { Int64($0) } ?? 0) * 1_000
        let usual: Int64 = service == .web ? 0 : response.status == 429 ? 60_000 : 10_000
        state.pauseEnds[device] = now + (response.status == 429 && asked > 0 ? asked : max(asked, usual))
    }

    private func record(
        _ response: ServiceResponse, of service: Service, device: String, to request: ReceivedRequest,
        in state: borrowing State
    ) {
        guard state.recordFile >= 0, service != .oauth else { return }
        let payload =
            service == .web
            ? state.web.records[device]?.payload ?? "" : String(decoding: request.body, as: UTF8.self)
        let line =
            "{\"time\":\(millisecondsSince1970()),\"service\":\"\(service.rawValue)\",\"device\":\(device.asJSON),"
            + "\"status\":\(response.status),\"fault\":\(response.fault.asJSON),\"payload\":\(payload.asJSON)}\n"
        var text = line
        text.withUTF8 { _ = Glibc.write(state.recordFile, $0.baseAddress, $0.count) }
    }

    /// Wakes the clients whose count is reached.
    func burstEnded(_ state: inout State) {
        guard !state.waiters.isEmpty else { return }
        let waiters = state.waiters
        state.waiters = []
        for waiter in waiters {
            if state.acceptedCount >= waiter.count { waiter.done() } else { state.waiters.append(waiter) }
        }
    }

    var stats: String {
        withState { state in
            func list(_ counts: [String: Int]) -> String {
                counts.sorted { $0.key < $1.key }.map { "\($0.key.asJSON):\($0.value)" }.joined(separator: ",")
            }
            return "{\"requests\":\(state.requestCount),\"accepted\":\(state.acceptedCount),"
                + "\"fcm\":{\"accepted\":\(state.fcm.acceptedCount),\"duplicates\":\(state.fcm.duplicateCount),"
                + "\"devices\":\(state.fcm.devices.count),\"over-collapse-keys\":"
                + "\(state.fcm.devicesOverCollapseKeys)},"
                + "\"web\":{\"accepted\":\(state.web.acceptedCount),\"unreadable\":\(state.web.unreadableCount),"
                + "\"browsers\":\(state.web.reachedCount)},"
                + "\"oauth\":{\"requests\":\(state.tokenRequestCount),\"issued\":\(state.tokens.issuedCount)},"
                + "\"connections\":\(connections.count),\"connections-ever\":\(connections.everOpened),"
                + "\"max-streams\":\(connections.maxStreams),\"violations\":\(connections.violations),"
                + "\"early-requests\":\(state.earlyRequestCount),"
                + "\"rejected\":{\(list(state.rejectionCounts))},\"faults\":{\(list(state.rules.faults.happened))}}"
        }
    }
}
