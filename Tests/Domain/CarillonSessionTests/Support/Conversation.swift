import CarillonCore
import CarillonSession
import CarillonTestKit
import CarillonWire

/// A conversation of a client's session with a server that consists of bytes.
struct Conversation {
    var session: ClientSession
    var now: Uptime = 1_000

    init(key: String? = nil) {
        let options = ClientSessionOptions(software: "test/1", key: key.map { Array($0.utf8) })
        session = ClientSession(options: options, now: now)
    }

    /// Returns a conversation whose handshake is over; the next request has the id 2.
    static func opened(_ helloAnswer: HelloAnswer = .scripted()) -> Conversation {
        var conversation = Conversation()
        _ = conversation.session.output.take()
        _ = conversation.receive(Preface.serverBytes(choosing: 1))
        _ = conversation.receive { $0.answer(helloAnswer, to: HelloRequest.self, id: 1) }
        return conversation
    }

    /// Passes bytes of the server to the session, and returns its steps.
    mutating func receive(_ bytes: [UInt8]) -> [ClientStep] {
        var rest = bytes[...]
        var steps: [ClientStep] = []
        while true {
            let (consumed, step) = rest.withUnsafeBytes { session.received($0, at: now) }
            rest = rest.dropFirst(consumed)
            if step == .needMore { return steps }
            steps.append(step)
        }
    }

    mutating func receive(_ write: (inout FrameWriter) -> Void) -> [ClientStep] {
        var writer = FrameWriter()
        write(&writer)
        return receive(writer.take())
    }

    mutating func lookup(deadline: Uptime? = nil) -> RequestSubmission {
        session.submit(LookupRequest.example, deadline: deadline, at: now)
    }

    /// Takes the frames that the session has sent, by kind, opcode and id.
    mutating func sent() -> [String] {
        var rest = session.output.take()[...]
        var frames: [String] = []
        if rest.starts(with: Preface.clientBytes) {
            rest = rest.dropFirst(Preface.byteCount)
            frames.append("preface")
        }
        while let header = rest.withUnsafeBytes({ FrameHeader($0) }) {
            rest = rest.dropFirst(FrameHeader.byteCount + Int(header.length))
            frames.append("\(header.kind) \(String(header.opcode.rawValue, radix: 16)) \(header.id)")
        }
        return frames
    }
}

extension LookupRequest {
    static let example = LookupRequest(app: TestApps.game, device: .id(DeviceID(rawValue: 7)))
}
