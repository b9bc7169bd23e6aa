package import CarillonCore

/// UNREGISTER (Protocol 7.3).
package struct Unregistration: Hashable, Sendable {
    /// The app.
    package var app: AppID
    /// The device.
    package var device: DeviceReference
    /// When the app signed off; zero stands for now.
    package var at: Timestamp

    /// Makes an UNREGISTER.
    package init(app: AppID, device: DeviceReference, at: Timestamp = .zero) {
        self.app = app
        self.device = device
        self.at = at
    }
}

/// LOOKUP (Protocol 7.4).
package struct Lookup: Hashable, Sendable {
    /// The app.
    package var app: AppID
    /// The device.
    package var device: DeviceReference

    /// Makes a LOOKUP.
    package init(app: AppID, device: DeviceReference) {
        self.app = app
        self.device = device
    }
}

/// UPDATE_DEVICE (Protocol 7.5).
package struct DeviceChange: Hashable, Sendable {
    /// The app.
    package var app: AppID
    /// The device.
    package var device: DeviceReference
    /// What changes.
    package var update: DeviceUpdate

    /// Makes an UPDATE_DEVICE.
    package init(app: AppID, device: DeviceReference, update: DeviceUpdate) {
        self.app = app
        self.device = device
        self.update = update
    }
}

/// MEMBERSHIPS (Protocol 7.6).
package struct MembershipsQuery: Hashable, Sendable {
    /// The app.
    package var app: AppID
    /// The device.
    package var device: DeviceReference
    /// The topic after which the page begins; empty = from the start.
    package var after: String
    /// Rows wanted, 1 to 1,000.
    package var limit: UInt32

    /// Makes a MEMBERSHIPS.
    package init(app: AppID, device: DeviceReference, after: String = "", limit: UInt32) {
        self.app = app
        self.device = device
        self.after = after
        self.limit = limit
    }
}

/// RESTORE (Protocol 7.7).
package struct DeviceRestoration: Hashable, Sendable {
    /// The app.
    package var app: AppID
    /// The device.
    package var device: DeviceReference

    /// Makes a RESTORE.
    package init(app: AppID, device: DeviceReference) {
        self.app = app
        self.device = device
    }
}

/// QUARANTINE (Protocol 7.8).
package struct QuarantineQuery: Hashable, Sendable {
    /// The app.
    package var app: AppID
    /// 0 = from the start, else as the last page gave it.
    package var cursor: UInt64
    /// Rows wanted, 1 to 1,000.
    package var limit: UInt32

    /// Makes a QUARANTINE.
    package init(app: AppID, cursor: UInt64 = 0, limit: UInt32) {
        self.app = app
        self.cursor = cursor
        self.limit = limit
    }
}

/// One item's answer of REGISTER_BATCH (Protocol 7.2).
package enum BatchItemResult: Hashable, Sendable {
    /// Done.
    case registered(DeviceID, RegistrationResult)
    /// Refused with that code.
    case refused(ErrorCode)
}

extension Registration {
    init(_ reader: inout PayloadReader, _ common: inout CommonFields) throws(WireFault) {
        let (app, address, seenAt) = (try reader.app(), try reader.address(), try reader.time("seen_at"))
        var replaces: DeviceToken?
        var update = DeviceUpdate()
        var topics: [TopicName] = []
        var groups: [GroupName] = []
        try reader.finish { reader, tag, value throws(WireFault) in
            switch tag {
            case 17: replaces = try reader.token(value, "replaces")
            case 18: update.locale = try reader.locale(value)
            case 19:
                topics = try reader.whole(value, "topics") { reader throws(WireFault) in
                    try reader.topics(0...Self.listLimit)
                }
            case 20: update.timeZone = try reader.timeZone(value)
            case 21:
                groups = try reader.whole(value, "groups") { reader throws(WireFault) in
                    try reader.groups(0...Self.listLimit)
                }
            case 23: update.attributes = try reader.whole(value, "attributes", PayloadReader.attributeChanges)
            default: return try common.read(tag, value, reader)
            }
            return true
        }
        self.init(
            app: app, address: address, seenAt: seenAt,
            // A token that takes its own place is a registration like any other.
            replaces: replaces == address.token ? nil : replaces,
            locale: update.locale, timeZone: update.timeZone, attributes: update.attributes, topics: topics,
            groups: groups)
    }

    func write(_ writer: inout FrameWriter, _ common: CommonFields) {
        writer.string(app.name)
        writer.u8(address.environment.rawValue)
        writer.u8(address.kind.rawValue)
        writer.token(address.token)
        writer.u64(seenAt.milliseconds)
        // Without a list of them: most registrations have none or few.
        writer.section { writer in
            common.write(&writer) + writer.tag(replaces.map { (17, $0.bytes) }) + writer.tag(18, locale)
                + writer.tag(FrameWriter.field(19, topics) { $0.string($1.name) }) + writer.tag(20, timeZone)
                + writer.tag(FrameWriter.field(21, groups) { $0.string($1.name) })
                + writer.tag(FrameWriter.field(23, attributes))
        }
    }
}

extension PayloadReader {
    fileprivate mutating func locale(_ value: UnsafeRawBufferPointer) throws(WireFault) -> String {
        try deviceField(value, "locale", 0...35, DeviceField.isLanguageTag)
    }

    fileprivate mutating func timeZone(_ value: UnsafeRawBufferPointer) throws(WireFault) -> String {
        try deviceField(value, "time_zone", 0...64, DeviceField.isTimeZone)
    }

    private mutating func deviceField(
        _ value: UnsafeRawBufferPointer,
        _ name: String,
        _ limits: ClosedRange<Int>,
        _ isValid: (String) -> Bool
    ) throws(WireFault) -> String {
        let text = try text(value, name, limits)
        if !text.isEmpty && !isValid(text) { note(name, "\(name) does not have its form") }
        return text
    }
}

extension Unregistration {
    init(_ reader: inout PayloadReader, _ common: inout CommonFields) throws(WireFault) {
        self.init(app: try reader.app(), device: try reader.device(), at: try reader.time("at"))
        try common.finish(&reader)
    }

    func write(_ writer: inout FrameWriter, _ common: CommonFields) {
        writer.string(app.name)
        writer.device(device)
        writer.u64(at.milliseconds)
        writer.tags(common)
    }
}

extension Lookup {
    init(_ reader: inout PayloadReader, _ common: inout CommonFields) throws(WireFault) {
        self.init(app: try reader.app(), device: try reader.device())
        try common.finish(&reader)
    }

    func write(_ writer: inout FrameWriter, _ common: CommonFields) {
        writer.string(app.name)
        writer.device(device)
        writer.tags(common)
    }
}

extension DeviceRestoration {
    init(_ reader: inout PayloadReader, _ common: inout CommonFields) throws(WireFault) {
        self.init(app: try reader.app(), device: try reader.device())
        try common.finish(&reader)
    }

    func write(_ writer: inout FrameWriter, _ common: CommonFields) {
        writer.string(app.name)
        writer.device(device)
        writer.tags(common)
    }
}

extension QuarantineQuery {
    init(_ reader: inout PayloadReader, _ common: inout CommonFields) throws(WireFault) {
        self.init(app: try reader.app(), cursor: try reader.u64("cursor"), limit: try reader.pageLimit())
        try common.finish(&reader)
    }

    func write(_ writer: inout FrameWriter, _ common: CommonFields) {
        writer.string(app.name)
        writer.u64(cursor)
        writer.u32(limit)
        writer.tags(common)
    }
}

extension Device {
    init(_ reader: inout PayloadReader) throws(WireFault) {
        let id = DeviceID(rawValue: try reader.u64("device_id"))
        let address = try reader.address()
        let registeredAt = try reader.time("registered_at")
        let seenAt = try reader.time("seen_at")
        let state = try reader.u8("state")
        if DeviceState(rawValue: state) == nil { reader.note("state", "state \(state) is not known") }
        self.init(
            id: id,
            address: address,
            registeredAt: registeredAt,
            seenAt: seenAt,
            state: DeviceState(rawValue: state) ?? .active
        )
        var locale: String?
        var timeZone: String?
        var attributes = Attributes()
        var isMuted = false
        try reader.finish(ignoringUnknown: true) { reader, tag, value throws(WireFault) in
            switch tag {
            case 18: locale = try reader.text(value, "locale", 0...35)
            case 20: timeZone = try reader.text(value, "time_zone", 0...64)
            case 22: attributes = try reader.whole(value, "attributes", PayloadReader.attributes)
            case 24: isMuted = try reader.flag(value, "muted")
            default: return false
            }
            return true
        }
        (self.locale, self.timeZone, self.attributes, self.isMuted) = (locale, timeZone, attributes, isMuted)
    }

    func write(_ writer: inout FrameWriter) {
        writer.u64(id.rawValue)
        writer.u8(address.environment.rawValue)
        writer.u8(address.kind.rawValue)
        writer.token(address.token)
        writer.u64(registeredAt.milliseconds)
        writer.u64(seenAt.milliseconds)
        writer.u8(state.rawValue)
        writer.section { writer in
            writer.tag(18, locale) + writer.tag(20, timeZone)
                + (attributes.entries.isEmpty ? 0 : writer.tag(FrameWriter.field(22, attributes)))
                + (isMuted ? writer.tag((24, [1])) : 0)
        }
    }
}

extension DeviceChange {
    init(_ reader: inout PayloadReader, _ common: inout CommonFields) throws(WireFault) {
        self.init(app: try reader.app(), device: try reader.device(), update: DeviceUpdate())
        var update = update
        try reader.finish { reader, tag, value throws(WireFault) in
            switch tag {
            case 18: update.locale = try reader.locale(value)
            case 20: update.timeZone = try reader.timeZone(value)
            case 23: update.attributes = try reader.whole(value, "attributes", PayloadReader.attributeChanges)
            case 25: update.isMuted = try reader.flag(value, "muted")
            default: return try common.read(tag, value, reader)
            }
            return true
        }
        self.update = update
    }

    func write(_ writer: inout FrameWriter, _ common: CommonFields) {
        writer.string(app.name)
        writer.device(device)
        writer.tags(
            common.fields + [
                FrameWriter.field(18, update.locale), FrameWriter.field(20, update.timeZone),
                FrameWriter.field(23, update.attributes), FrameWriter.field(25, update.isMuted),
            ]
        )
    }
}

extension MembershipsQuery {
    init(_ reader: inout PayloadReader, _ common: inout CommonFields) throws(WireFault) {
        self.init(
            app: try reader.app(),
            device: try reader.device(),
            after: try reader.sought("after"),
            limit: try reader.pageLimit()
        )
        try common.finish(&reader)
    }

    func write(_ writer: inout FrameWriter, _ common: CommonFields) {
        writer.string(app.name)
        writer.device(device)
        writer.string(after)
        writer.u32(limit)
        writer.tags(common)
    }
}

extension Memberships {
    init(_ reader: inout PayloadReader) throws(WireFault) {
        let device = DeviceID(rawValue: try reader.u64("device_id"))
        let isMuted = try reader.u8("muted") & 1 != 0
        var groups: [Membership] = []
        try reader.list("groups", elementBytes: 3) { reader, _ throws(WireFault) in
            groups.append(Membership(group: try reader.group("group"), isMuted: try reader.u8("muted") != 0))
        }
        var topics: [Holding] = []
        try reader.list("topics", elementBytes: 4) { reader, _ throws(WireFault) in
            topics.append(Holding(topic: try reader.topic("topic"), source: try reader.source()))
        }
        let next = try reader.nextName().flatMap(TopicName.init)
        self.init(device: device, isMuted: isMuted, groups: groups, topics: topics, next: next)
        try reader.finish(ignoringUnknown: true) { _, _, _ in false }
    }

    func write(_ writer: inout FrameWriter) {
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
    /// The group that holds a topic for a device; empty: the device itself.
    fileprivate mutating func source() throws(WireFault) -> GroupName? {
        let name = try string("source", 0...WireLimits.nameBytes)
        if name.isEmpty { return nil }
        let group = GroupName(name)
        if group == nil { note("source", "source is not the name of a group") }
        return group
    }
}
