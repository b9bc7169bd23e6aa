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

/// The announcement of a JOIN or SWITCH (Protocol 8.1).
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
        return [payload.isEmpty ? nil : (17, payload), field(19, list: announcement.bodies) { $0.body($1) }]
    }
}
