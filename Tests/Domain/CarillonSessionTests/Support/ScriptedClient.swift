import CarillonCore
import CarillonSession
import CarillonTestKit
import CarillonWire
import CarillonWireTestKit
import Testing

/// A client that consists of bytes, in front of a session without sockets.
final class ScriptedClient {
    var session: ServerSession
    var now = Moment(wall: Timestamp(milliseconds: 1_790_000_000_000), uptime: 1_000)
    /// The bytes that the session has sent since the phase was entered.
    private(set) var received: [UInt8] = []
    /// The requests that the session has handed out since then.
    private(set) var requests: [AnyRequest] = []
    /// The positions that the session has wanted its caller to wait for.
    private(set) var awaited: [UInt64] = []
    private var unread: [UInt8] = []

    static let principal = Principal(
        name: "test", grants: [Grant(app: AppID("com.example.game"), roles: [.register, .send, .observe, .admin])])

    init(
        limits: SessionLimits = SessionLimits(), principal: Principal? = nil, opcodes: [Opcode] = Opcode.served,
        node: HelloAnswer.AnnouncedNode? = nil
    ) {
        let helloAnswer = HelloAnswer(
            software: "carillon/test", epoch: .zero, clock: .zero, limits: HelloAnswer.AnnouncedLimits(limits),
            isAuthenticated: false, opcodes: opcodes.map { HelloAnswer.AnnouncedLayouts(opcode: $0) }, node: node)
        session = ServerSession(limits: limits, helloAnswer: helloAnswer, now: now.uptime)
        session.transportReady(principal: principal, at: now.uptime)
    }

    // A session is not copyable, so #expect cannot look into it; these are for its properties.
    var isClosed: Bool { session.isClosed }
    var mayRead: Bool { session.mayRead }
    var deadline: Uptime? { session.deadline }
    var principal: Principal? { session.principal }
    var outstandingCount: Int { session.outstandingCount }

    /// Goes through the handshake up to a phase and forgets the frames of the handshake.
    func enter(phase: String) throws {
        let phases = ["preface", "hello", "auth", "open"]
        let index = try #require(phases.firstIndex(of: phase))
        var writer = FrameWriter()
        if index >= 1 { writer.raw(Preface.clientBytes) }
        if index >= 2 { writer.request(HelloRequest(software: "test/1"), id: 1) }
        if index >= 3 { writer.request(AuthenticateRequest(key: Array("key".utf8)), id: 2) }
        send(writer.take())
        received = []
        requests = []
    }

    func send(_ bytes: [UInt8], byteByByte: Bool = false) {
        for piece in byteByByte ? bytes.map({ [$0] }) : [bytes] {
            unread += piece
            readAll()
        }
    }

    /// Lets the session read one frame that it must accept, without running it.
    func receive(_ bytes: [UInt8]) -> ServerSession.Step {
        bytes.withUnsafeBytes { session.received($0, at: now) }.step
    }

    /// Collects the output of the session without sending anything.
    func listen() {
        received += session.output.take()
    }

    private func readAll() {
        while session.mayRead {
            let (consumed, step) = unread.withUnsafeBytes { session.received($0, at: now) }
            unread.removeFirst(consumed)
            listen()
            switch step {
            case .needMore, .close: return
            case .proceed: continue
            case .authenticate(let authentication, let id):
                let isGood = authentication.key == Array("key".utf8)
                session.clientAuthenticated(as: isGood ? Self.principal : nil, id: id)
                listen()
            case .pointRead(let read, let app, let context):
                requests.append(AnyRequest(askingFor: read, of: app))
                readPipelined(.pointReads(context.head.opcode, of: app), of: app)
            case .change(let change, let app, let context):
                requests.append(Self.request(change, context.head.opcode))
                readPipelined(.changes(of: app), of: app)
            case .longRead(let listing, _): requests.append(AnyRequest(listing.operation))
            case .statistics(let query, _): requests.append(AnyRequest(query))
            case .dryRun(let message, _): requests.append(AnyRequest(message))
            case .individual(let request, _): requests.append(AnyRequest(request.operation))
            case .subscribeEvents(let subscription, _): requests.append(AnyRequest(subscription))
            case .eventCredit(let credit, _): requests.append(AnyRequest(credit))
            case .unsubscribeEvents(let unsubscription, _): requests.append(AnyRequest(unsubscription))
            case .awaitPosition(let position): awaited.append(position)
            }
        }
    }

    private func readPipelined(_ pipeline: ServerSession.Pipeline, of app: AppID) {
        for step in pipelineSteps(&unread, pipeline, limit: 8) {
            switch step {
            case .pointRead(let read, _): requests.append(AnyRequest(askingFor: read, of: app))
            case .change(let change, let head): requests.append(Self.request(change, head.opcode))
            case .endOfPipeline: break
            }
        }
    }

    /// Lets the session read the frames that continue a pipeline, and removes them from `bytes`.
    func pipelineSteps(
        _ bytes: inout [UInt8], _ pipeline: ServerSession.Pipeline, limit: Int
    ) -> [ServerSession.PipelineStep] {
        var steps: [ServerSession.PipelineStep] = []
        while steps.count < limit {
            let (consumed, step) = bytes.withUnsafeBytes { session.received($0, at: now, continuing: pipeline) }
            guard step != .endOfPipeline else {
                #expect(consumed == 0, "the end of a pipeline consumes nothing")
                break
            }
            steps.append(step)
            bytes.removeFirst(consumed)
        }
        return steps
    }

    /// Returns the request that asks for a change.
    private static func request(_ change: Change, _ opcode: Opcode) -> AnyRequest {
        let request = AnyRequest(askingFor: change)
        #expect(request?.opcode == opcode, "\(change) is more than a request, or of another opcode")
        return request ?? AnyRequest(HelloRequest(software: "none"))
    }

    /// The frames received, in order.
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

    /// The last frame as an error; nil if it is none.
    var lastError: RequestError? {
        guard let frame = frames.last, frame.header.kind == FrameKind.error.rawValue else { return nil }
        return try? frame.payload.withUnsafeBytes { try RequestError(decoding: $0) }
    }
}
