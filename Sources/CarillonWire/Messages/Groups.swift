package import CarillonCore

/// SWITCH (Protocol 7a.3): a device leaves one group and joins another in one step.
package struct GroupSwitch: Hashable, Sendable {
    /// What a switch has changed.
    package struct Changes: OptionSet, Hashable, Sendable {
        /// The sum of the changes.
        package let rawValue: UInt8

        /// Makes changes of their sum.
        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// The device was in the group that it left.
        package static let left = Changes(rawValue: 1)
        /// The device was not in the group that it joined.
        package static let joined = Changes(rawValue: 2)
    }

    /// The app.
    package var app: AppID
    /// The device.
    package var device: DeviceReference
    /// The group that it leaves.
    package var from: GroupName
    /// The group that it joins.
    package var to: GroupName
    /// What the other devices of the group that it joins are told. An alert; only payload and bodies are sent.
    package var announcement: MessageContent?

    /// Makes a SWITCH.
    package init(
        app: AppID, device: DeviceReference, from: GroupName, to: GroupName, announcement: MessageContent? = nil
    ) {
        self.app = app
        self.device = device
        self.from = from
        self.to = to
        self.announcement = announcement
    }

    /// The same as a join that leaves another group.
    package var join: Join {
        Join(app: app, group: to, devices: [device], leaving: from, announcement: announcement)
    }
}

/// UPDATE_GROUP (Protocol 7a.6).
package struct GroupUpdate: Hashable, Sendable {
    /// The app.
    package var app: AppID
    /// The group.
    package var group: GroupName
    /// Whether its devices get nothing at all; absent leaves it.
    package var isMuted: Bool?

    /// Makes an UPDATE_GROUP.
    package init(app: AppID, group: GroupName, isMuted: Bool? = nil) {
        self.app = app
        self.group = group
        self.isMuted = isMuted
    }
}

/// GROUPS and TOPICS (Protocol 7a.5 and 7b.2).
package struct NamesQuery: Hashable, Sendable {
    /// The app.
    package var app: AppID
    /// What the names begin with.
    package var prefix: String
    /// The name after which the page begins; empty = from the start.
    package var after: String
    /// Rows wanted, 1 to 1,000.
    package var limit: UInt32

    /// Makes a GROUPS or a TOPICS.
    package init(app: AppID, prefix: String = "", after: String = "", limit: UInt32) {
        self.app = app
        self.prefix = prefix
        self.after = after
        self.limit = limit
    }
}

/// GROUP_DEVICES and TOPIC_DEVICES (Protocol 7a.4 and 7b.3).
package struct DevicesQuery<Name: Hashable & Sendable & CustomStringConvertible>: Hashable, Sendable {
    /// The app.
    package var app: AppID
    /// The group or topic.
    package var name: Name
    /// 0 = from the start, else as the last page gave it.
    package var cursor: UInt64
    /// Rows wanted, 1 to 1,000.
    package var limit: UInt32

    /// Makes a GROUP_DEVICES or a TOPIC_DEVICES.
    package init(app: AppID, name: Name, cursor: UInt64 = 0, limit: UInt32) {
        self.app = app
        self.name = name
        self.cursor = cursor
        self.limit = limit
    }
}

/// GROUP_TOPICS (Protocol 7a.7).
package struct GroupTopicsQuery: Hashable, Sendable {
    /// The app.
    package var app: AppID
    /// The group.
    package var group: GroupName
    /// The topic after which the page begins; empty = from the start.
    package var after: String
    /// Rows wanted, 1 to 1,000.
    package var limit: UInt32

    /// Makes a GROUP_TOPICS.
    package init(app: AppID, group: GroupName, after: String = "", limit: UInt32) {
        self.app = app
        self.group = group
        self.after = after
        self.limit = limit
    }
}

/// What a JOIN did (Protocol 7a.1).
package struct Joined: Hashable, Sendable {
    /// Devices that were not members before.
    package var joined: UInt32
    /// The announcement that was accepted.
    package var announcement: MessageID?
    /// Which devices of the request are not registered, by index.
    package var unknown: [UInt32]

    /// Makes an answer.
    package init(joined: UInt32, announcement: MessageID?, unknown: [UInt32]) {
        self.joined = joined
        self.announcement = announcement
        self.unknown = unknown
    }
}

/// What a SWITCH did (Protocol 7a.3).
package struct Switched: Hashable, Sendable {
    /// The device.
    package var device: DeviceID
    /// What has changed.
    package var changes: GroupSwitch.Changes
    /// The announcement that was accepted.
    package var announcement: MessageID?

    /// Makes an answer.
    package init(device: DeviceID, changes: GroupSwitch.Changes, announcement: MessageID?) {
        self.device = device
        self.changes = changes
        self.announcement = announcement
    }
}

/// What a LEAVE, SUBSCRIBE or UNSUBSCRIBE did (Protocol 7a.2 and 7b.1).
package struct MembershipChange: Hashable, Sendable {
    /// Devices that left, or sources of a topic that are new or gone.
    package var changed: UInt32
    /// Which devices of the request are not registered, by index.
    package var unknown: [UInt32]

    /// Makes an answer.
    package init(changed: UInt32, unknown: [UInt32]) {
        self.changed = changed
        self.unknown = unknown
    }
}

/// A page of the topics that a group is subscribed to (Protocol 7a.7).
package struct TopicPage: Hashable, Sendable {
    /// The topic after which the next page begins; nil if this was the last.
    package var next: String?
    /// Ascending.
    package var topics: [TopicName]

    /// Makes a page.
    package init(next: String?, topics: [TopicName]) {
        self.next = next
        self.topics = topics
    }
}

extension Join {
    init(_ reader: inout PayloadReader, _ common: inout CommonFields) throws(WireFault) {
        self.init(
            app: try reader.app(),
            group: try reader.group("group"),
            devices: try reader.devices(1...WireLimits.batch)
        )
        announcement = try reader.announcement(app, &common)
    }

    func write(_ writer: inout FrameWriter, _ common: CommonFields) {
        writer.string(app.name)
        writer.string(group.name)
        writer.list(devices) { $0.device($1) }
        writer.tags(common.fields + FrameWriter.fields(of: announcement))
    }
}

extension Leave {
    init(_ reader: inout PayloadReader, _ common: inout CommonFields) throws(WireFault) {
        self.init(
            app: try reader.app(),
            group: try reader.group("group"),
            devices: try reader.devices(1...WireLimits.batch)
        )
        var clearsTopics = false
        try reader.finish { reader, tag, value throws(WireFault) in
            guard tag == 17 else { return try common.read(tag, value, reader) }
            clearsTopics = try reader.flag(value, "clear_topics")
            return true
        }
        self.clearsTopics = clearsTopics
    }

    func write(_ writer: inout FrameWriter, _ common: CommonFields) {
        writer.string(app.name)
        writer.string(group.name)
        writer.list(devices) { $0.device($1) }
        writer.tags(common.fields + [FrameWriter.field(17, clearsTopics ? true : nil)])
    }
}

extension GroupSwitch {
    init(_ reader: inout PayloadReader, _ common: inout CommonFields) throws(WireFault) {
        self.init(
            app: try reader.app(),
            device: try reader.device(),
            from: try reader.group("from"),
            to: try reader.group("to")
        )
        if from == to { reader.note("to", "to is the group that is left") }
        announcement = try reader.announcement(app, &common)
    }

    func write(_ writer: inout FrameWriter, _ common: CommonFields) {
        writer.string(app.name)
        writer.device(device)
        writer.string(from.name)
        writer.string(to.name)
        writer.tags(common.fields + FrameWriter.fields(of: announcement))
    }
}

extension PayloadReader {
    /// Ends a JOIN or SWITCH: what the other devices of the group are told.
    fileprivate mutating func announcement(
        _ app: AppID,
        _ common: inout CommonFields
    ) throws(WireFault) -> MessageContent? {
        var content = MessageContent(app: app, pushType: .alert, payload: [])
        var found = common
        try finish { reader, tag, value throws(WireFault) in
            switch tag {
            case 17:
                content.payload = Array(value)
                reader.check(content.payload, "announcement", for: .alert)
            case 19: content.bodies = try reader.bodies(value, for: .alert)
            default: return try found.read(tag, value, reader)
            }
            return true
        }
        common = found
        return content.payload.isEmpty && content.bodies.isEmpty ? nil : content
    }
}

extension FrameWriter {
    /// The tagged fields of an announcement.
    fileprivate static func fields(of announcement: MessageContent?) -> [(tag: UInt32, value: [UInt8])?] {
        guard let announcement else { return [] }
        let payload = announcement.payload
        return [payload.isEmpty ? nil : (17, payload), field(19, announcement.bodies) { $0.body($1) }]
    }
}

extension GroupUpdate {
    init(_ reader: inout PayloadReader, _ common: inout CommonFields) throws(WireFault) {
        self.init(app: try reader.app(), group: try reader.group("group"))
        var isMuted: Bool?
        try reader.finish { reader, tag, value throws(WireFault) in
            guard tag == 25 else { return try common.read(tag, value, reader) }
            isMuted = try reader.flag(value, "muted")
            return true
        }
        self.isMuted = isMuted
    }

    func write(_ writer: inout FrameWriter, _ common: CommonFields) {
        writer.string(app.name)
        writer.string(group.name)
        writer.tags(common.fields + [FrameWriter.field(25, isMuted)])
    }
}

extension NamesQuery {
    init(_ reader: inout PayloadReader, _ common: inout CommonFields) throws(WireFault) {
        self.init(
            app: try reader.app(),
            prefix: try reader.sought("prefix"),
            after: try reader.sought("after"),
            limit: try reader.pageLimit()
        )
        try common.finish(&reader)
    }

    func write(_ writer: inout FrameWriter, _ common: CommonFields) {
        writer.string(app.name)
        writer.string(prefix)
        writer.string(after)
        writer.u32(limit)
        writer.tags(common)
    }
}

extension DevicesQuery {
    init(
        _ reader: inout PayloadReader,
        _ common: inout CommonFields,
        name: (inout PayloadReader) throws(WireFault) -> Name
    ) throws(WireFault) {
        self.init(
            app: try reader.app(),
            name: try name(&reader),
            cursor: try reader.u64("cursor"),
            limit: try reader.pageLimit()
        )
        try common.finish(&reader)
    }

    func write(_ writer: inout FrameWriter, _ common: CommonFields) {
        writer.string(app.name)
        writer.string(name.description)
        writer.u64(cursor)
        writer.u32(limit)
        writer.tags(common)
    }
}

extension GroupTopicsQuery {
    init(_ reader: inout PayloadReader, _ common: inout CommonFields) throws(WireFault) {
        self.init(
            app: try reader.app(),
            group: try reader.group("group"),
            after: try reader.sought("after"),
            limit: try reader.pageLimit()
        )
        try common.finish(&reader)
    }

    func write(_ writer: inout FrameWriter, _ common: CommonFields) {
        writer.string(app.name)
        writer.string(group.name)
        writer.string(after)
        writer.u32(limit)
        writer.tags(common)
    }
}

extension Joined {
    init(_ reader: inout PayloadReader) throws(WireFault) {
        self.init(
            joined: try reader.u32("joined"),
            announcement: try reader.announcementID(),
            unknown: try reader.indices("unknown")
        )
        try reader.finish(ignoringUnknown: true) { _, _, _ in false }
    }

    func write(_ writer: inout FrameWriter) {
        writer.u32(joined)
        writer.u64(announcement?.rawValue ?? 0)
        writer.list(unknown) { $0.u32($1) }
    }
}

extension Switched {
    init(_ reader: inout PayloadReader) throws(WireFault) {
        self.init(
            device: DeviceID(rawValue: try reader.u64("device_id")),
            changes: GroupSwitch.Changes(rawValue: try reader.u8("changed")),
            announcement: try reader.announcementID()
        )
        try reader.finish(ignoringUnknown: true) { _, _, _ in false }
    }

    func write(_ writer: inout FrameWriter) {
        writer.u64(device.rawValue)
        writer.u8(changes.rawValue)
        writer.u64(announcement?.rawValue ?? 0)
    }
}

extension MembershipChange {
    init(_ reader: inout PayloadReader, _ field: String) throws(WireFault) {
        self.init(changed: try reader.u32(field), unknown: try reader.indices("unknown"))
        try reader.finish(ignoringUnknown: true) { _, _, _ in false }
    }

    func write(_ writer: inout FrameWriter) {
        writer.u32(changed)
        writer.list(unknown) { $0.u32($1) }
    }
}

extension PayloadReader {
    fileprivate mutating func announcementID() throws(WireFault) -> MessageID? {
        let id = try u64("message_id")
        return id == 0 ? nil : MessageID(rawValue: id)
    }

    /// Indices, from 0, of items of the request.
    mutating func indices(_ field: String) throws(WireFault) -> [UInt32] {
        var indices: [UInt32] = []
        try list(field, elementBytes: 4) { reader, _ throws(WireFault) in indices.append(try reader.u32(field)) }
        return indices
    }
}

extension DevicePage {
    init(_ reader: inout PayloadReader) throws(WireFault) {
        self.init(next: try reader.u64("next"), devices: [])
        var devices: [DeviceID] = []
        try reader.list("devices", elementBytes: 8) { reader, _ throws(WireFault) in
            devices.append(DeviceID(rawValue: try reader.u64("devices")))
        }
        self.devices = devices
        try reader.finish(ignoringUnknown: true) { _, _, _ in false }
    }

    func write(_ writer: inout FrameWriter) {
        writer.u64(next)
        writer.list(devices) { $0.u64($1.rawValue) }
    }
}

extension NamedSetPage {
    /// Reads the answer to GROUPS.
    init(groups reader: inout PayloadReader) throws(WireFault) {
        self.init(next: try reader.nextName(), rows: [])
        var rows: [Row] = []
        try reader.list("groups", elementBytes: 11) { reader, _ throws(WireFault) in
            let name = try reader.group("group").name
            rows.append(Row(name: name, devices: try reader.u64("devices"), isMuted: try reader.u8("muted") != 0))
        }
        self.rows = rows
        try reader.finish(ignoringUnknown: true) { _, _, _ in false }
    }

    /// Reads the answer to TOPICS.
    init(topics reader: inout PayloadReader) throws(WireFault) {
        self.init(next: try reader.nextName(), rows: [])
        var rows: [Row] = []
        try reader.list("topics", elementBytes: 10) { reader, _ throws(WireFault) in
            rows.append(Row(name: try reader.topic("topic").name, devices: try reader.u64("devices")))
        }
        self.rows = rows
        try reader.finish(ignoringUnknown: true) { _, _, _ in false }
    }

    /// Writes the answer to GROUPS.
    func write(groups writer: inout FrameWriter) {
        writer.string(next ?? "")
        writer.list(rows) { writer, row in
            writer.string(row.name)
            writer.u64(row.devices)
            writer.u8(row.isMuted ? 1 : 0)
        }
    }

    /// Writes the answer to TOPICS.
    func write(topics writer: inout FrameWriter) {
        writer.string(next ?? "")
        writer.list(rows) { writer, row in
            writer.string(row.name)
            writer.u64(row.devices)
        }
    }
}

extension TopicPage {
    init(_ reader: inout PayloadReader) throws(WireFault) {
        self.init(next: try reader.nextName(), topics: [])
        var topics: [TopicName] = []
        try reader.list("topics", elementBytes: 2) { reader, _ throws(WireFault) in
            topics.append(try reader.topic("topics"))
        }
        self.topics = topics
        try reader.finish(ignoringUnknown: true) { _, _, _ in false }
    }

    func write(_ writer: inout FrameWriter) {
        writer.string(next ?? "")
        writer.list(topics) { $0.string($1.name) }
    }
}
