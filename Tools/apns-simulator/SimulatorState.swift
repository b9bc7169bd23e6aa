import Glibc
import NIOCore
import Synchronization

/// What all connections share: devices and their states, counters, the record, and who waits for what.
final class SimulatorState: Sendable {
    /// An order to all connections.
    enum Order: Sendable {
        case maxStreams(UInt32)
        case fault(Fault.Action)
        /// Read again as fast as bytes come, and answer PINGs.
        case calm
    }

    struct State: ~Copyable {
        var rules: Rules
        var ledger = DeliveryHistory()
        var rejected: [Rejection: Int] = [:]
        var requests = 0
        /// How often a client has broken HTTP/2 or overrun its streams.
        var violations = 0
        var maxStreams: UInt32
        var recorder: Recorder
        var payloads: [DeviceToken: [UInt8]] = [:]
        var connections: [Int: @Sendable (Order) -> Void] = [:]
        var connectionCount = 0
        var waiters: [Waiter] = []
        var arrivals = Arrivals()

        /// Whether so many pushes were accepted, of one device or of all.
        func hasAccepted(_ count: Int, for token: DeviceToken?) -> Bool {
            (token.map { Int(ledger.record(of: $0).accepted) } ?? ledger.accepted) >= count
        }

        /// Counts an accepted push, and notes when it came if it is the first with its id.
        mutating func recordArrival(of push: PushRequest, for token: DeviceToken) {
            let duplicates = ledger.duplicates
            ledger.record(token, id: push.id)
            if ledger.duplicates == duplicates { arrivals.note(push.payload, at: microseconds()) }
        }
    }

    /// Who wants to know when so many pushes were accepted, of one device or of all.
    struct Waiter {
        var count: Int
        var token: DeviceToken?
        var done: @Sendable () -> Void
    }

    let validator: Validator
    /// `production` or `sandbox`.
    let environment: String
    /// How many streams a client may open before its first good push.
    let unprovenStreams: UInt32
    let delay: Int64
    let keepsPayloads: Bool
    private let state: Mutex<State>

    private static let maxPayloads = 1 << 20
    private static let maxReasons = 1000

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
        state = Mutex(State(rules: rules, maxStreams: maxStreams, recorder: recorder))
    }

    /// Calls `body` with the state to itself.
    func withState<Result: Sendable>(_ body: (inout State) throws -> Result) rethrows -> Result {
        try state.withLock { try body(&$0) }
    }

    /// Decides on a push and notes it; `now` is in milliseconds since 1970, by a clock that is wrong by `skew` seconds.
    func judge(
        _ push: PushRequest,
        _ connection: inout Validator.Connection,
        _ state: inout State,
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
                state.ledger.note(token, id: push.id)
            }
            if keepsPayloads, state.payloads.count < SimulatorState.maxPayloads {
                state.payloads[token] = Array(push.payload)
            }
        case .rejected(let rejection):
            if let token { state.ledger.refuse(token, status: rejection.status) }
            if state.rejected.count < SimulatorState.maxReasons || state.rejected[rejection] != nil {
                state.rejected[rejection, default: 0] += 1
            }
        }
        state.recorder.note(push, id: id, verdict)
        return verdict
    }

    /// Enters what was accepted, wakes those whose count is reached, and writes the record.
    func endOfBurst(_ state: inout State) {
        state.ledger.settle()
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

    /// Gives an order to all connections; how many there are.
    @discardableResult
    func tellAll(_ order: Order) -> Int {
        let connections = withState { Array($0.connections.values) }
        for tell in connections { tell(order) }
        return connections.count
    }

    /// Lets the faults for all open connections happen, each when its time has come.
    func issueOrders(on loop: any EventLoop) {
        for fault in withState({ $0.rules.faults.takeOrders() }) {
            if fault.after == 0 {
                tellAll(.fault(fault.action))
            } else {
                loop.scheduleTask(in: .milliseconds(fault.after)) { [self] in tellAll(.fault(fault.action)) }
            }
        }
    }

    /// The faults that a connection meets at a point of its life.
    func faults(at moment: Fault.Moment) -> [Fault.Action] {
        withState { $0.rules.faults.happening(moment, at: milliseconds()).map(\.action) }
    }

    /// Whether a connection may meet a fault at a point of its life.
    func mayMeetFaults(at moment: Fault.Moment) -> Bool {
        withState { $0.rules.faults.mayHappen(moment) }
    }

    /// Counters as one JSON line.
    var stats: String {
        withState { state in
            var reasons: [String: Int] = [:]
            for (rejection, count) in state.rejected { reasons[rejection.reason, default: 0] += count }
            let rejected = reasons.sorted { $0.key < $1.key }.map { "\(quoted($0.key)):\($0.value)" }
            let faults = state.rules.faults.happened.sorted { $0.key < $1.key }.map { "\(quoted($0.key)):\($0.value)" }
            return "{\"requests\":\(state.requests),\"accepted\":\(state.ledger.accepted),"
                + "\"duplicates\":\(state.ledger.duplicates),\"devices\":\(state.ledger.devices),"
                + "\"connections\":\(state.connections.count),\"connections-ever\":\(state.connectionCount),"
                + "\"max-streams\":\(state.maxStreams),\"violations\":\(state.violations),"
                + "\"rejected\":{\(rejected.joined(separator: ","))},\"faults\":{\(faults.joined(separator: ","))}}"
        }
    }
}

/// The lines that `--record` and `--print` ask for.
struct Recorder {
    /// Where JSON Lines go, or -1.
    var file: Int32 = -1
    var prints = false
    private var pending: [UInt8] = []
    private var printed: [UInt8] = []

    init(path: String?, prints: Bool) throws {
        self.prints = prints
        guard let path else { return }
        file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        if file < 0 { throw Problem(text: "cannot open \(path): \(String(cString: strerror(errno)))") }
    }

    mutating func note(_ push: PushRequest, id: UnsafeRawBufferPointer, _ verdict: Verdict) {
        guard file >= 0 || prints else { return }
        let token = push.path.dropFirst(bytes: 10).text
        let (status, reason) =
            switch verdict {
            case .accepted: (UInt16(200), "")
            case .rejected(let rejection): (rejection.status, rejection.reason)
            }
        if file >= 0 { pending += Array(line(push, token: token, id: id, status: status, reason: reason).utf8) }
        if prints {
            let topic = push.topic?.text ?? "-"
            printed += Array("\(status) \(reason) \(token) \(topic) \(push.payload.text)\n".utf8)
        }
    }

    private func line(
        _ push: PushRequest,
        token: String,
        id: UnsafeRawBufferPointer,
        status: UInt16,
        reason: String
    ) -> String {
        var fields = ["\"time\":\(milliseconds())", "\"token\":\(quoted(token))", "\"apns-id\":\(quoted(id.text))"]
        for (name, value) in [
            ("topic", push.topic), ("push-type", push.pushType), ("priority", push.priority),
            ("expiration", push.expiration), ("collapse-id", push.collapseID),
        ] {
            if let value { fields.append("\(quoted(name)):\(quoted(value.text))") }
        }
        fields.append("\"payload\":\(quoted(push.payload.text))")
        fields.append("\"status\":\(status)")
        if !reason.isEmpty { fields.append("\"reason\":\(quoted(reason))") }
        return "{" + fields.joined(separator: ",") + "}\n"
    }

    mutating func flush() {
        write(&pending, to: file)
        write(&printed, to: STDOUT_FILENO)
    }

    private func write(_ bytes: inout [UInt8], to file: Int32) {
        if bytes.isEmpty || file < 0 { return }
        bytes.withUnsafeBytes { bytes in
            var sent = 0
            while sent < bytes.count {
                let count = Glibc.write(file, bytes.baseAddress.map { $0 + sent }, bytes.count - sent)
                if count <= 0 { break }
                sent += count
            }
        }
        bytes.removeAll(keepingCapacity: true)
    }
}

/// The time now in milliseconds since 1970.
func milliseconds() -> Int64 { microseconds() / 1000 }

/// The time now in microseconds since 1970.
func microseconds() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
}
