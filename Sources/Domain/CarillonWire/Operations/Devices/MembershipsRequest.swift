package import CarillonCore

/// The request MEMBERSHIPS (Protocol 7.6).
package struct MembershipsRequest: LongReadOperation, PagedOperation {
    package typealias Answer = Memberships

    package static let opcode = Opcode.memberships

    package var app: AppID
    package var device: DeviceReference
    /// The topic after which the page begins; empty = from the start.
    package var after: String
    /// The number of rows wanted, 1 to 1,000.
    package var limit: UInt32

    package init(app: AppID, device: DeviceReference, after: String = "", limit: UInt32) {
        self.app = app
        self.device = device
        self.after = after
        self.limit = limit
    }

    package func read(from registry: any ListingReads) throws(RegistryError) -> Result<Memberships, RequestError> {
        guard let answer = try registry.memberships(of: device, app: app, after: after, limit: Int(limit)) else {
            return .failure(.noDevice)
        }
        return .success(answer)
    }
}

extension Opcode {
    package static let memberships = Opcode(rawValue: 0x0015)
}

// MARK: Codec (Protocol 7.6)

extension MembershipsRequest {
    package init(from reader: inout PayloadReader, common: inout CommonFields) throws(WireError) {
        self.init(
            app: try reader.app(),
            device: try reader.device(),
            after: try reader.searchText("after"),
            limit: try reader.pageLimit()
        )
        try common.finish(&reader)
    }

    package func write(to writer: inout FrameWriter, common: CommonFields) {
        writer.string(app.name)
        writer.device(device)
        writer.string(after)
        writer.u32(limit)
        writer.tags(common)
    }
}

extension Memberships: PayloadAnswer {
    package init(from reader: inout PayloadReader) throws(WireError) {
        let device = try reader.deviceID()
        let isMuted = try reader.u8("muted") & 1 != 0
        var groups: [GroupMembership] = []
        try reader.list("groups", elementBytes: 2 + 1) { reader, _ throws(WireError) in
            groups.append(GroupMembership(group: try reader.group("group"), isMuted: try reader.u8("muted") != 0))
        }
        var topics: [TopicMembership] = []
        try reader.list("topics", elementBytes: 2 + 2) { reader, _ throws(WireError) in
            topics.append(TopicMembership(topic: try reader.topic("topic"), source: try reader.source()))
        }
        let next = try reader.nextName().flatMap(TopicName.init)
        self.init(device: device, isMuted: isMuted, groups: groups, topics: topics, next: next)
        try reader.finishAnswer()
    }

    package func write(to writer: inout FrameWriter) {
        writer.u64(device.rawValue)
        writer.u8((isMuted ? 1 : 0) | (groups.contains(where: \.isMuted) ? 2 : 0))
        writer.list(groups) { writer, row in
            writer.string(row.group.name)
            writer.u8(row.isMuted ? 1 : 0)
        }
        writer.list(topics) { writer, row in
            writer.string(row.topic.name)
            writer.string(row.source?.name ?? "")
        }
        writer.string(next?.name ?? "")
    }
}

extension PayloadReader {
    /// Reads the group through which a device has a topic; empty = the device itself is subscribed.
    fileprivate mutating func source() throws(WireError) -> GroupName? {
        let name = try string("source", limits: 0...WireLimits.nameBytes)
        if name.isEmpty { return nil }
        let group = GroupName(name)
        if group == nil { recordInvalid("source", because: "source is not the name of a group") }
        return group
    }
}
