import CarillonCommandLine
import CarillonCore
import CarillonRegistry

/// A row of an export.
enum ArchiveRow: Equatable {
    case group(ArchivedGroup)
    case device(ArchivedDevice)
    case tombstone(ArchivedTombstone)

    /// The most silent pushes of a device. A silent-push budget is never larger.
    private static let maximumSilentPushes = 1_000

    var json: JSON {
        switch self {
        case .group(let group): group.json
        case .device(let device): device.json
        case .tombstone(let tombstone): tombstone.json
        }
    }

    init(_ line: ArchiveLine) throws(ArchiveError) {
        if line.has("group") {
            self = .group(try ArchivedGroup(line))
        } else if line.has("device") {
            self = .device(try ArchivedDevice(line, maximumSilentPushes: Self.maximumSilentPushes))
        } else if line.has("tombstone") {
            self = .tombstone(try ArchivedTombstone(line))
        } else {
            throw ArchiveError("neither a group nor a device nor a tombstone")
        }
    }
}

extension ArchivedGroup {
    fileprivate var json: JSON {
        .members([
            "group": .text(name.name),
            "muted": isMuted ? .bool(true) : nil,
            "topics": topics.isEmpty ? nil : .list(topics.map { .text($0.name) }),
        ])
    }

    fileprivate init(_ line: ArchiveLine) throws(ArchiveError) {
        self.init(name: try line.value("group") { GroupName($0) })
        isMuted = try line.flag("muted")
        topics = try line.list("topics", limit: MembershipLimits.topicsPerSubscriber) {
            $0.string.flatMap { TopicName($0) }
        }
    }
}

extension ArchivedTombstone {
    fileprivate var json: JSON {
        .members([
            "tombstone": .text(address.tokenText),
            "environment": .text(address.environment.name),
            "kind": .text(address.kind.name),
            "at_ms": .number(unregisteredAt.milliseconds),
            "written_at_ms": .number(writtenAt.milliseconds),
        ])
    }

    fileprivate init(_ line: ArchiveLine) throws(ArchiveError) {
        self.init(
            address: try DeviceAddress(line, token: "tombstone"), unregisteredAt: try line.time("at_ms"),
            writtenAt: try line.time("written_at_ms"))
    }
}

extension ArchivedDevice {
    fileprivate var json: JSON {
        let attributes = device.attributes.entries.map {
            JSON.Member(name: $0.key.name, value: .text($0.value.text))
        }
        return .members([
            "device": .number(device.id.rawValue),
            "environment": .text(device.address.environment.name),
            "kind": .text(device.address.kind.name),
            "token": .text(device.address.tokenText),
            "registered_at_ms": .number(device.registeredAt.milliseconds),
            "seen_at_ms": .number(device.seenAt.milliseconds),
            "quarantined_at_ms": quarantinedAt.map { .number($0.milliseconds) },
            "locale": device.locale.map { .text($0) },
            "time_zone": device.timeZone.map { .text($0) },
            "attributes": attributes.isEmpty ? nil : .object(attributes),
            "muted": device.isMuted ? .bool(true) : nil,
            "groups": groups.isEmpty ? nil : .list(groups.map { .text($0.name) }),
            "topics": topics.isEmpty ? nil : .list(topics.map { .text($0.name) }),
            "subscription": subscription.map { .text(String(decoding: $0.json, as: UTF8.self)) },
            "silent_at_ms": silentPushes.isEmpty ? nil : .list(silentPushes.map { .number($0.milliseconds) }),
        ])
    }

    fileprivate init(_ line: ArchiveLine, maximumSilentPushes: Int) throws(ArchiveError) {
        let since = line.has("quarantined_at_ms") ? try line.time("quarantined_at_ms") : nil
        var device = DeviceRecord(
            id: DeviceID(rawValue: try line.number("device")),
            address: try DeviceAddress(line, token: "token"),
            registeredAt: try line.time("registered_at_ms"),
            seenAt: try line.time("seen_at_ms"),
            state: since == nil ? .active : .quarantined,
            isMuted: try line.flag("muted")
        )
        if line.has("locale") {
            device.locale = try line.value("locale") { DeviceFieldSyntax.isLanguageTag($0) ? $0 : nil }
        }
        if line.has("time_zone") {
            device.timeZone = try line.value("time_zone") { DeviceFieldSyntax.isTimeZone($0) ? $0 : nil }
        }
        let changes = try line.texts("attributes").map { AttributeChange(key: $0.name, value: $0.text) }
        do throws(AttributeError) {
            try device.attributes.merge(changes.compactMap { $0 })
        } catch {
            throw ArchiveError("there are too many attributes, or one has a name that is not allowed")
        }
        guard device.attributes.entries.count == changes.count else {
            throw ArchiveError("an attribute has a value that is not allowed")
        }
        self.init(device: device)
        groups = try line.list("groups", limit: MembershipLimits.groupsPerDevice) {
            $0.string.flatMap { GroupName($0) }
        }
        topics = try line.list("topics", limit: MembershipLimits.topicsPerSubscriber) {
            $0.string.flatMap { TopicName($0) }
        }
        quarantinedAt = since
        if line.has("subscription") {
            // Why try?: the line says which field is at fault.
            subscription = try line.value("subscription") { try? WebPushSubscription(json: Array($0.utf8)) }
        }
        silentPushes = try line.list("silent_at_ms", limit: maximumSilentPushes) { value in
            if case .integer(let time) = value, time >= 0 { Timestamp(milliseconds: UInt64(time)) } else { nil }
        }
        guard silentPushes == silentPushes.sorted() else { throw ArchiveError("silent_at_ms is not in order") }
    }
}

extension DeviceAddress {
    fileprivate init(_ line: ArchiveLine, token name: String) throws(ArchiveError) {
        let kind = try line.value("kind") { TokenKind(name: $0) }
        self.init(
            environment: try line.value("environment") { APNsEnvironment(name: $0) }, kind: kind,
            token: try line.value(name) { DeviceToken($0, of: kind) })
        guard fault == nil else { throw ArchiveError("a token of kind \(kind.name) is of the environment production") }
    }
}
