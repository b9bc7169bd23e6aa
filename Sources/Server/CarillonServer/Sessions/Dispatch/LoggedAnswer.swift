import CarillonCore
import CarillonWire

/// An answer to a client, as the log shows it at level debug: never a payload, a token or a key.
struct LoggedAnswer: Equatable {
    var id: UInt64
    var opcode: Opcode
    /// The error; nil for success.
    var error: ErrorCode?
    /// The message that was accepted; nil if the request sent none.
    var message: MessageID?

    /// Returns the answers in frames that a session has written; its preface, events and control frames are left out.
    static func all(in output: [UInt8]) -> [LoggedAnswer] {
        output.withUnsafeBytes { bytes in
            var answers: [LoggedAnswer] = []
            var rest = bytes[...]
            if rest.starts(with: Preface.magic) { rest = rest.dropFirst(Preface.byteCount) }
            while let header = FrameHeader(UnsafeRawBufferPointer(rebasing: rest)) {
                rest = rest.dropFirst(FrameHeader.byteCount)
                let payload = UnsafeRawBufferPointer(rebasing: rest.prefix(Int(header.length)))
                rest = rest.dropFirst(Int(header.length))
                if let answer = LoggedAnswer(header, payload: payload) { answers.append(answer) }
            }
            return answers
        }
    }

    init(id: UInt64, opcode: Opcode, error: ErrorCode? = nil, message: MessageID? = nil) {
        self.id = id
        self.opcode = opcode
        self.error = error
        self.message = message
    }

    private init?(_ header: FrameHeader, payload: UnsafeRawBufferPointer) {
        self.init(id: header.id, opcode: header.opcode)
        switch FrameKind(rawValue: header.kind) {
        case .error:
            // Why try?: the session has written it.
            error = (try? RequestError(decoding: payload))?.code
        case .answer: message = Self.message(in: payload, of: header.opcode)
        default: return nil
        }
    }

    private static func message(in payload: UnsafeRawBufferPointer, of opcode: Opcode) -> MessageID? {
        // Why try?: the session has written it.
        let id: MessageID? =
            switch opcode {
            case Message.opcode: try? Message.decodeAnswer(payload).id
            case ResendRequest.opcode: try? ResendRequest.decodeAnswer(payload).id
            case JoinRequest.opcode: try? JoinRequest.decodeAnswer(payload).announcement
            case SwitchGroupRequest.opcode: try? SwitchGroupRequest.decodeAnswer(payload).announcement
            default: nil
            }
        return id.flatMap { $0.rawValue == 0 ? nil : $0 }
    }
}
