package import CarillonCore

/// The request UPDATE_MESSAGE (Protocol 10.6).
extension UpdateMessageRequest: IndividualOperation, AppOperation {
    package static let opcode = Opcode.updateMessage

    /// True unless the update is a resume: a second one would start a message that the first has put back on its
    /// schedule.
    package var isRepeatable: Bool { messageUpdate != .resume }

    package consuming func individualRequest() -> IndividualRequest { .updateMessage(self) }
}

/// The number of an update on the wire.
private enum MessageUpdateAction: UInt8 {
    case cancel = 1
    case pause = 2
    case resume = 3
    case pace = 4

    init(_ messageUpdate: MessageUpdate) {
        self =
            switch messageUpdate {
            case .cancel: .cancel
            case .pause: .pause
            case .resume: .resume
            case .pace: .pace
            }
    }

    func messageUpdate(pace: UInt32?) -> MessageUpdate {
        switch self {
        case .cancel: .cancel
        case .pause: .pause
        case .resume: .resume
        case .pace: .pace(pace)
        }
    }
}

extension Opcode {
    package static let updateMessage = Opcode(rawValue: 0x0054)
}

// MARK: Codec (Protocol 10.6)

extension UpdateMessageRequest {
    package init(from reader: inout PayloadReader, common: inout CommonFields) throws(WireError) {
        let app = try reader.app()
        let id = try reader.messageID()
        let number = try reader.u8("action")
        let action = MessageUpdateAction(rawValue: number)
        if action == nil { reader.recordInvalid("action", because: "action \(number) is not known") }
        var pace: UInt32?
        try reader.finish { reader, tag, value throws(WireError) in
            guard tag == SendTag.pace else { return try common.read(tag, value: value, with: reader) }
            pace = try reader.pace(value)
            if action != .pace { reader.recordInvalid("pace", because: "action \(number) has no pace") }
            return true
        }
        // An action that is not known has been refused by `finish`.
        self.init(app: app, id: id, messageUpdate: (action ?? .cancel).messageUpdate(pace: pace))
    }

    package func write(to writer: inout FrameWriter, common: CommonFields) {
        writer.string(app.name)
        writer.u64(id.rawValue)
        writer.u8(MessageUpdateAction(messageUpdate).rawValue)
        writer.tags(common.fields + [FrameWriter.field(SendTag.pace, pace)])
    }

    private var pace: UInt32? {
        if case .pace(let pace) = messageUpdate { pace } else { nil }
    }

    /// Reads the state of the message after the update.
    package static func readAnswer(from reader: inout PayloadReader) throws(WireError) -> MessageState {
        let state = try reader.messageState()
        try reader.finishAnswer()
        return state
    }

    package static func write(_ answer: MessageState, to writer: inout FrameWriter) {
        writer.u8(answer.rawValue)
    }
}
