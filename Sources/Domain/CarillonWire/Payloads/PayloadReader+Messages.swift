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
