import CarillonCore

/// Fields that several operations on messages share (Protocol 10).
extension PayloadReader {
    /// Reads the `pace` of a tag: deliveries a second, at least 1.
    mutating func pace(_ value: UnsafeRawBufferPointer) throws(WireError) -> UInt32 {
        let pace = try integer(UInt32.self, of: value, field: "pace")
        if pace == 0 { recordInvalid("pace", because: "a pace of 0 is none: pause the message instead") }
        return pace
    }

    mutating func messageState() throws(WireError) -> MessageState {
        MessageState(rawValue: try u8("state"))
    }

    /// Reads the `state` of a tag of a request, which must be one that this version knows.
    mutating func knownMessageState(_ value: UnsafeRawBufferPointer) throws(WireError) -> MessageState {
        let state = MessageState(rawValue: try integer(UInt8.self, of: value, field: "state"))
        if !state.isKnown { recordInvalid("state", because: "state \(state.rawValue) is not known") }
        return state
    }

    mutating func deviceID() throws(WireError) -> DeviceID {
        DeviceID(rawValue: try u64("device_id"))
    }

    mutating func messageID() throws(WireError) -> MessageID {
        MessageID(rawValue: try u64("message_id"))
    }

    /// Reads the `message_id` of an announcement; nil if it is 0.
    mutating func announcementID() throws(WireError) -> MessageID? {
        let id = try messageID()
        return id.rawValue == 0 ? nil : id
    }

    /// Reads indices, from 0, of items of the request.
    mutating func indices(_ field: String) throws(WireError) -> [UInt32] {
        var indices: [UInt32] = []
        try list(field, elementBytes: 4) { reader, _ throws(WireError) in indices.append(try reader.u32(field)) }
        return indices
    }
}

/// Reads the payloads of a message and their languages (Protocol 10.1).
extension PayloadReader {
    /// Reads payloads by language, each checked like the payload of a SEND.
    mutating func bodies(
        _ value: UnsafeRawBufferPointer,
        for type: PushType?
    ) throws(WireError) -> [LanguageBody] {
        try parse(value, as: "bodies") { reader throws(WireError) in
            var languages: Set<String> = []
            return try reader.items("bodies", counts: 1...MessageContent.maximumBodies, elementBytes: 2 + 4) {
                reader throws(WireError) in
                let language = try reader.string("language")
                let payload = Array(try reader.blob("payload"))
                if !DeviceFieldSyntax.isLanguageTag(language) {
                    reader.recordInvalid("bodies", because: "the language is not a tag of 2 to 35 bytes")
                } else if !languages.insert(language.lowercased()).inserted {
                    reader.recordInvalid("bodies", because: "the language \(language) stands twice")
                }
                reader.check(payload, field: "bodies", for: type)
                return LanguageBody(language: language, payload: payload)
            }
        }
    }

    /// Records a fault of a payload of a push type; for an unknown type there are no rules.
    mutating func check(_ payload: [UInt8], field: String, for type: PushType?) {
        guard let type else { return }
        recordInvalid(field) { () throws(MessageError) in try MessageRules.checkPayload(payload, for: type) }
    }

    /// Records the fault that a check of `MessageRules` throws. The text names its place in the payload.
    mutating func recordInvalid(_ field: String, _ check: () throws(MessageError) -> Void) {
        do throws(MessageError) {
            try check()
        } catch {
            guard let limit = error.limit else { return recordInvalid(field, because: "\(error.field): \(error.text)") }
            recordTooLarge(field, because: error.text, limit: UInt64(limit))
        }
    }
}

/// Reads the announcement of a JOIN or SWITCH (Protocol 8.1).
extension PayloadReader {
    /// Reads the end of a JOIN or SWITCH; returns nil if it has no announcement.
    mutating func announcement(
        for app: AppID,
        common: inout CommonFields
    ) throws(WireError) -> MessageContent? {
        var content = MessageContent(app: app, pushType: .alert, payload: [])
        var found = common
        try finish { reader, tag, value throws(WireError) in
            switch tag {
            case 17:
                content.payload = Array(value)
                reader.check(content.payload, field: "announcement", for: .alert)
            case 19: content.bodies = try reader.bodies(value, for: .alert)
            default: return try found.read(tag, value: value, with: reader)
            }
            return true
        }
        common = found
        return content.payload.isEmpty && content.bodies.isEmpty ? nil : content
    }
}

extension FrameWriter {
    /// Returns the tagged fields of an announcement; none without an announcement.
    static func fields(of announcement: MessageContent?) -> [TaggedField?] {
        guard let announcement else { return [] }
        let payload = announcement.payload
        return [field(17, payload.isEmpty ? nil : payload), field(19, list: announcement.bodies) { $0.body($1) }]
    }
}
