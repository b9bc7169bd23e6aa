package import CarillonCore

/// The request UPDATE_GROUP (Protocol 8.6).
extension UpdateGroupRequest: ChangeOperation {
    package static let opcode = Opcode.updateGroup

    package var changesState: Bool { isMuted != nil }

    package func change(at now: Timestamp) -> Change { .updateGroup(self) }

    package static func answer(_ answer: ChangeAnswer) -> Answer? {
        if case .groupUpdated(let devices, _) = answer { devices } else { nil }
    }
}

extension Opcode {
    package static let updateGroup = Opcode(rawValue: 0x0025)
}

// MARK: Codec (Protocol 8.6)

extension UpdateGroupRequest {
    package init(from reader: inout PayloadReader, common: inout CommonFields) throws(WireError) {
        self.init(app: try reader.app(), group: try reader.group("group"))
        var isMuted: Bool?
        try reader.finish { reader, tag, value throws(WireError) in
            guard tag == 25 else { return try common.read(tag, value: value, with: reader) }
            isMuted = try reader.flag(value, field: "muted")
            return true
        }
        self.isMuted = isMuted
    }

    package func write(to writer: inout FrameWriter, common: CommonFields) {
        writer.string(app.name)
        writer.string(group.name)
        writer.tags(common.fields + [FrameWriter.field(25, isMuted)])
    }

    /// Reads the number of devices of the group.
    package static func readAnswer(from reader: inout PayloadReader) throws(WireError) -> UInt64 {
        let devices = try reader.u64("devices")
        try reader.finishAnswer()
        return devices
    }

    package static func write(_ answer: UInt64, to writer: inout FrameWriter) {
        writer.u64(answer)
    }
}
