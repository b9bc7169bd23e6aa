import CarillonCore
import CarillonSession
import CarillonTestKit
import CarillonWire

/// The words of the transcripts of a ``ServerSession``: frames of the client, and the names of the answers.
protocol ServerSessionScript {}

extension ServerSessionScript {
    static var app: AppID { TestApps.game }
    /// An answer to any request.
    var done: EncodedAnswer { EncodedAnswer(nil, to: UnregisterRequest.self) }

    func frame(_ id: UInt64) -> [UInt8] {
        request(MessageStatusRequest(app: Self.app, id: MessageID(rawValue: 9)), id)
    }

    func request(_ request: some Operation, _ id: UInt64) -> [UInt8] {
        var writer = FrameWriter()
        writer.request(request, id: id)
        return writer.bytes
    }

    func key(_ text: String, _ id: UInt64) -> [UInt8] {
        request(AuthenticateRequest(key: Array(text.utf8)), id)
    }

    func ping(_ payload: UInt64, isAcknowledgement: Bool = false) -> [UInt8] {
        var writer = FrameWriter()
        writer.ping(Ping(isAcknowledgement: isAcknowledgement, payload: payload))
        return writer.bytes
    }

    func open(_ limits: SessionLimits = SessionLimits()) throws -> ScriptedClient {
        let client = ScriptedClient(limits: limits)
        try client.enter(phase: "open")
        return client
    }

    /// Lets time pass and fires the timer of the session.
    func wait(_ milliseconds: UInt64, _ client: ScriptedClient) {
        client.now.uptime += milliseconds
        client.session.timerFired(at: client.now.uptime)
        client.listen()
    }

    func names(_ client: ScriptedClient) -> [String] {
        client.frames.map { frame in
            switch FrameKind(rawValue: frame.header.kind) {
            case .answer: "answer \(frame.header.id)"
            case .error:
                (try? frame.payload.withUnsafeBytes { try RequestError(decoding: $0) })
                    .map { "\($0.code) \(frame.header.id)" } ?? "unreadable"
            case .control where frame.header.opcode == .ping: frame.header.flags == 0 ? "ping" : "pong"
            case .control: "goaway \(frame.payload.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) })"
            case .request, .event, nil: "?"
            }
        }
    }
}
