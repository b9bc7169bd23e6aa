import CarillonCore
import CarillonSession
import CarillonTestKit
import CarillonWire
import Testing

/// A client that is nothing but bytes, in front of a session without sockets.
struct ScriptedClient {
    var session: ServerSession
    var now = Moment(wall: Timestamp(milliseconds: 1_790_000_000_000), uptimeMilliseconds: 1_000)
    /// What the session has sent since the phase was entered.
    private(set) var received: [UInt8] = []
    /// The requests that it handed on since then.
    private(set) var requests: [Request] = []
    private var unread: [UInt8] = []

    static let principal = Principal(
        name: "test", grants: [Grant(app: AppID("com.example.game"), roles: [.register, .send, .observe, .admin])])

    init(
        limits: SessionLimits = SessionLimits(), principal: Principal? = nil, opcodes: [Opcode] = Opcode.served
    ) {
        let welcome = Welcome(
            software: "carillon/test", epoch: .zero, clock: .zero, frameLimit: limits.frameBytes,
            inFlightLimit: limits.requestsInFlight, batchLimit: 1_000,
            keepaliveMilliseconds: limits.keepaliveMilliseconds,
            pingIntervalMilliseconds: limits.pingIntervalMilliseconds, idempotencyWindowSeconds: 86_400,
            isAuthenticated: false, opcodes: opcodes.map { Welcome.Layouts(opcode: $0) })
        session = ServerSession(limits: limits, welcome: welcome, principal: principal, now: now.uptimeMilliseconds)
    }

    /// Goes through the handshake up to a phase and forgets what was said on the way.
    mutating func enter(phase: String) throws {
        let phases = ["preface", "hello", "auth", "open"]
        let wanted = try #require(phases.firstIndex(of: phase))
        var writer = FrameWriter()
        if wanted >= 1 { writer.raw(Preface.client) }
        if wanted >= 2 { writer.request(.hello(Hello(software: "test/1")), id: 1) }
        if wanted >= 3 { writer.request(.authenticate(Authentication(credential: Array("key".utf8))), id: 2) }
        send(writer.take())
        received = []
        requests = []
    }

    mutating func send(_ bytes: [UInt8], byteByByte: Bool = false) {
        for piece in byteByByte ? bytes.map({ [$0] }) : [bytes] {
            unread += piece
            readAll()
        }
    }

    /// Collects what the session has to say without sending anything.
    mutating func listen() {
        received += session.output.take()
    }

    private mutating func readAll() {
        while session.mayRead {
            let (consumed, step) = unread.withUnsafeBytes { session.received($0, at: now) }
            unread.removeFirst(consumed)
            listen()
            switch step {
            case .needMore, .close: return
            case .proceed: continue
            case .authenticate(let authentication, let id):
                let isGood = authentication.credential == Array("key".utf8)
                session.authenticated(as: isGood ? Self.principal : nil, id: id)
                listen()
            case .run(let request, _, _): requests.append(request)
            case .pointRead(let pointRead, let app, _, _):
                var pointReads = [pointRead]
                let read = unread.withUnsafeBytes { bytes in
                    session.receivedPointReads(bytes, like: pointRead.opcode, of: app, at: now, limit: 8) {
                        pointRead, _, _ in
                        pointReads.append(pointRead)
                    }
                }
                unread.removeFirst(read)
                requests += pointReads.map { Self.request($0, app) }
            case .change(let change, let app, _, _):
                var changes = [change]
                let read = unread.withUnsafeBytes { bytes in
                    session.receivedChanges(bytes, of: app, at: now, while: { changes.count < 8 }) { change, _, _ in
                        changes.append(change)
                    }
                }
                unread.removeFirst(read)
                requests += changes.compactMap { Self.request($0) }
            }
        }
    }

    private static func request(_ pointRead: PointRead, _ app: AppID) -> Request {
        switch pointRead {
        case .device(let device): .lookup(Lookup(app: app, device: device))
        case .status(let id): .messageStatus(MessageQuery(app: app, id: id))
        }
    }

    private static func request(_ change: Change) -> Request? {
        switch change {
        case .register(let it, _): .register(it)
        case .unregister(let device, let app, let at, _): .unregister(Unregistration(app: app, device: device, at: at))
        case .update(let device, let app, let update):
            .updateDevice(DeviceChange(app: app, device: device, update: update))
        case .restore(let device, let app, _): .restore(DeviceRestoration(app: app, device: device))
        case .join(let it, _): .join(it)
        case .leave(let it): .leave(it)
        case .subscribe(let it): .subscribe(it)
        case .unsubscribe(let it): .unsubscribe(it)
        case .mute(let group, let app, let isMuted): .updateGroup(GroupUpdate(app: app, group: group, isMuted: isMuted))
        default: nil
        }
    }

    /// The frames received.
    var frames: [(header: FrameHeader, payload: [UInt8])] {
        var rest = received[...]
        if rest.starts(with: Preface.magic) { rest = rest.dropFirst(Preface.byteCount) }
        var frames: [(header: FrameHeader, payload: [UInt8])] = []
        while let header = Array(rest).withUnsafeBytes({ FrameHeader($0) }) {
            rest = rest.dropFirst(FrameHeader.byteCount)
            frames.append((header, Array(rest.prefix(Int(header.length)))))
            rest = rest.dropFirst(Int(header.length))
        }
        return frames
    }

    /// The last frame, if it is an error.
    var lastError: ErrorReply? {
        guard let frame = frames.last, frame.header.kind == FrameKind.error.rawValue else { return nil }
        return try? frame.payload.withUnsafeBytes { try ErrorReply(decoding: $0) }
    }
}
