package import CarillonCore

/// The request LEAVE (Protocol 8.2).
extension LeaveRequest: ChangeOperation {
    package typealias Answer = MembershipChangeAnswer

    package static let opcode = Opcode.leave

    package func change(at now: Timestamp) -> Change { .leave(self) }

    /// True if a request can contain all of the value.
    var isRequestable: Bool {
        (1...WireLimits.batchItems).contains(devices.count) && devices.allSatisfy { $0.isRequestable }
    }

    package static func answer(_ answer: ChangeAnswer) -> MembershipChangeAnswer? {
        if case .membership(let answer) = answer { MembershipChangeAnswer(answer) } else { nil }
    }
}

extension Opcode {
    package static let leave = Opcode(rawValue: 0x0021)
}

// MARK: Codec (Protocol 8.2)

extension LeaveRequest {
    package init(from reader: inout PayloadReader, common: inout CommonFields) throws(WireError) {
        self.init(
            app: try reader.app(),
            group: try reader.group("group"),
            devices: try reader.devices(1...WireLimits.batchItems)
        )
        var clearsTopics = false
        try reader.finish { reader, tag, value throws(WireError) in
            guard tag == 17 else { return try common.read(tag, value: value, with: reader) }
            clearsTopics = try reader.flag(value, field: "clear_topics")
            return true
        }
        self.clearsTopics = clearsTopics
    }

    package func write(to writer: inout FrameWriter, common: CommonFields) {
        writer.string(app.name)
        writer.string(group.name)
        writer.list(devices) { $0.device($1) }
        writer.tags(common.fields + [FrameWriter.field(17, clearsTopics ? true : nil)])
    }
}
