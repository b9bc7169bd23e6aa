import CarillonCommandLine
import CarillonCore
import CarillonRegistry

/// What an export says of itself: the first line all of it, the last one what must be the same there.
struct ArchiveHeader: Equatable {
    var app: AppID
    /// Devices have ids before this one.
    var next: DeviceID
    var counts: ArchiveCounts
    /// When it was made.
    var at: Timestamp

    /// The version of the format.
    static let version: Int64 = 1

    /// The first line.
    var first: JSON {
        .object(
            [.init(name: "carillon_export", value: .number(UInt64(Self.version)))] + what("app")
                + [
                    .init(name: "at_ms", value: .number(at.milliseconds)),
                    .init(name: "software", value: "carillon-dump/1.0.0"),
                ])
    }

    /// The last line; `digest` is that of all lines between the two, with their ends.
    func last(digest: [UInt8]) -> JSON {
        .object(what("end") + [.init(name: "sha256", value: .text(Hex.string(digest)))])
    }

    private func what(_ name: String) -> [JSON.Member] {
        [
            .init(name: name, value: .text(app.name)),
            .init(name: "next_device", value: .number(next.rawValue)),
            .init(name: "groups", value: .number(counts.groups)),
            .init(name: "devices", value: .number(counts.devices)),
            .init(name: "tombstones", value: .number(counts.tombstones)),
        ]
    }

    init(app: AppID, next: DeviceID, counts: ArchiveCounts, at: Timestamp) {
        (self.app, self.next, self.counts, self.at) = (app, next, counts, at)
    }

    /// Reads the first line.
    init(first line: ArchiveLine) throws(ArchiveFault) {
        let version = try line.number("carillon_export")
        guard version == UInt64(Self.version) else {
            throw ArchiveFault("an export of version \(version), this program reads \(Self.version)")
        }
        try self.init(line, "app", at: try line.time("at_ms"))
    }

    /// Whether the last line says the same; and the digest that it tells.
    func digest(last line: ArchiveLine) throws(ArchiveFault) -> [UInt8] {
        guard try ArchiveHeader(line, "end", at: at) == self else {
            throw ArchiveFault("its last line contradicts its first")
        }
        guard let digest = DeviceToken(hex: try line.text("sha256"))?.bytes else {
            throw ArchiveFault("sha256 is none")
        }
        return digest
    }

    private init(_ line: ArchiveLine, _ name: String, at: Timestamp) throws(ArchiveFault) {
        guard let app = AppID(try line.text(name)) else { throw ArchiveFault("\(name) is no bundle id") }
        self.app = app
        self.at = at
        next = DeviceID(rawValue: try line.number("next_device"))
        counts = ArchiveCounts()
        counts.groups = try line.number("groups")
        counts.devices = try line.number("devices")
        counts.tombstones = try line.number("tombstones")
    }
}

/// Why an export cannot be read.
struct ArchiveFault: Error, Equatable {
    var message: String

    init(_ message: String) {
        self.message = message
    }
}

/// One line of an export: an object.
struct ArchiveLine {
    private let members: [String: JSONValue]

    /// The longest line, in bytes: a device in 1,000 groups with 2,000 topics takes less.
    static let byteLimit = 4 << 20

    init(_ bytes: [UInt8]) throws(ArchiveFault) {
        do throws(JSONFault) {
            members = try JSONObjectScanner.scan(bytes)
        } catch {
            throw ArchiveFault("it is no JSON object")
        }
    }

    /// Whether it has a member of that name.
    func has(_ name: String) -> Bool { members[name] != nil }

    func text(_ name: String) throws(ArchiveFault) -> String {
        guard let text = members[name]?.string else { throw ArchiveFault("\(name) is no text, or missing") }
        return text
    }

    func number(_ name: String) throws(ArchiveFault) -> UInt64 {
        guard case .integer(let number) = members[name], number >= 0 else {
            throw ArchiveFault("\(name) is no number, or missing")
        }
        return UInt64(number)
    }

    func time(_ name: String) throws(ArchiveFault) -> Timestamp { Timestamp(milliseconds: try number(name)) }

    /// A value of a kind that has names.
    func value<T>(_ name: String, _ convert: (String) -> T?) throws(ArchiveFault) -> T {
        guard let value = convert(try text(name)) else { throw ArchiveFault("\(name) has a value that it cannot have") }
        return value
    }

    /// A flag; false if it is missing.
    func flag(_ name: String) throws(ArchiveFault) -> Bool {
        switch members[name] {
        case nil: return false
        case .bool(let flag): return flag
        default: throw ArchiveFault("\(name) is neither true nor false")
        }
    }

    /// A list of texts, or of whole numbers as texts; empty if it is missing.
    func list<T>(_ name: String, limit: Int, _ convert: (JSONValue) -> T?) throws(ArchiveFault) -> [T] {
        guard let value = members[name] else { return [] }
        guard case .array(let items) = value, items.count <= limit else {
            throw ArchiveFault("\(name) is no list of at most \(limit)")
        }
        let list = items.compactMap(convert)
        guard list.count == items.count else { throw ArchiveFault("\(name) has a value that it cannot have") }
        return list
    }

    /// Texts by name; empty if it is missing.
    func texts(_ name: String) throws(ArchiveFault) -> [(name: String, text: String)] {
        guard let value = members[name] else { return [] }
        guard let members = value.members else { throw ArchiveFault("\(name) is no object") }
        let texts = members.compactMap { member in member.value.string.map { (name: member.key, text: $0) } }
        guard texts.count == members.count else { throw ArchiveFault("\(name) has a value that it cannot have") }
        return texts
    }
}
