import CarillonCore

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
