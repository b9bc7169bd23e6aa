import CarillonCore
import CarillonLMDB

/// The number of a set of an app in keys and records; from 1, never given twice.
typealias SetNumber = UInt32

/// The kinds of sets.
enum SetKind: UInt8 {
    /// Every active device.
    case all = 1
    /// The devices that get no pushes. Stored like a topic: a device itself or one of its groups is subscribed.
    case muted = 2
    case topic = 3
    case group = 4
    case attribute = 5
}

/// The name of a set; of an attribute, its key and value.
struct SetLabel: Hashable {
    let kind: SetKind
    let name: String
    let value: String

    private init(kind: SetKind, name: String = "", value: String = "") {
        self.kind = kind
        self.name = name
        self.value = value
    }

    static let all = SetLabel(kind: .all)
    static let muted = SetLabel(kind: .muted)
    static func topic(_ topic: TopicName) -> SetLabel { SetLabel(kind: .topic, name: topic.name) }
    static func group(_ group: GroupName) -> SetLabel { SetLabel(kind: .group, name: group.name) }
    static func attribute(_ key: String, _ value: String) -> SetLabel {
        SetLabel(kind: .attribute, name: key, value: value)
    }

    /// True if it follows from the records of devices.
    var isDerived: Bool { kind == .all || kind == .attribute }

    /// The set that a term of a condition names.
    init(_ name: SetName) {
        switch name {
        case .all: self = .all
        case .topic(let topic): self = .topic(topic)
        case .group(let group): self = .group(group)
        case .attribute(let key, let value): self = .attribute(key.name, value.text)
        }
    }

    /// The longest form in keys: an attribute's is shorter than a name.
    static let maximumBytes = 1 + TopicName.maximumBytes

    /// Writes kind `u8` and the name; an attribute's key and value are parted by a byte 0.
    func append(to writer: inout ByteWriter) {
        writer.append(kind.rawValue)
        writer.append(contentsOf: name.utf8)
        guard kind == .attribute else { return }
        writer.append(UInt8(0))
        writer.append(contentsOf: value.utf8)
    }

    /// Reads what `append` wrote, to the end.
    init(_ reader: inout ByteReader) throws {
        let kind: SetKind = try reader.value()
        let bytes = try reader.take(reader.remaining)
        let parts =
            kind == .attribute
            ? bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false) : [bytes[...]]
        let texts = parts.compactMap { String(validating: $0, as: UTF8.self) }
        guard texts.count == (kind == .attribute ? 2 : 1), bytes.count < Self.maximumBytes else {
            throw reader.corrupted("the name of a set")
        }
        self.init(kind: kind, name: texts[0], value: texts.count > 1 ? texts[1] : "")
    }
}

/// The record of a set.
struct SetRecord: Hashable {
    var number: SetNumber
    /// Active devices in it: the bits of its postings.
    var devices: UInt64 = 0
    /// Of a topic, or of the muted: the number of its groups. Of a group: the number of its topics.
    var groupSubscriptions: UInt32 = 0
    /// The number of quarantined devices whose memberships name the set.
    var quarantinedMembers: UInt32 = 0

    /// True if no row needs the set any more.
    var isIdle: Bool { devices == 0 && groupSubscriptions == 0 && quarantinedMembers == 0 }
}

/// `sets`: app `u32`, kind `u8`, name → version `u8`, number `u32`, devices `u64`, group subscriptions and quarantined
/// members `u32` each.
struct SetTable {
    let database: Database

    private static let version: UInt8 = 1
    private static let keyBytes = 4 + SetLabel.maximumBytes

    /// The prefix of the keys of the sets of a kind.
    static func prefix(_ app: AppNumber, _ kind: SetKind, name: String = "") -> [UInt8] {
        ByteWriter.bytes(capacity: 5 + name.utf8.count) {
            $0.append(app)
            $0.append(kind.rawValue)
            $0.append(contentsOf: name.utf8)
        }
    }

    /// The record of a set.
    func get(
        _ label: SetLabel, app: AppNumber, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> SetRecord? {
        try withKey(app: app, label) { key in try transaction.get(key, in: database, Self.decode) }
    }

    /// Stores the record of a set.
    func put(_ record: SetRecord, for label: SetLabel, app: AppNumber, in transaction: inout WriteTransaction) throws {
        try withKey(app: app, label) { key in
            try ByteWriter.withBytes(
                capacity: 21,
                {
                    $0.append(Self.version)
                    $0.append(record.number)
                    $0.append(record.devices)
                    $0.append(record.groupSubscriptions)
                    $0.append(record.quarantinedMembers)
                },
                { value in try transaction.put(value, for: key, in: database) }
            )
        }
    }

    /// Removes a set.
    func delete(_ label: SetLabel, app: AppNumber, in transaction: inout WriteTransaction) throws {
        _ = try withKey(app: app, label) { key in try transaction.delete(key, in: database) }
    }

    /// Calls `body` with the sets of a kind whose names begin with `prefix`, in the order of their bytes, after the
    /// name `after`; with at most `limit`.
    func forEach(
        _ kind: SetKind,
        app: AppNumber,
        prefix: String,
        after: String,
        limit: Int,
        in transaction: borrowing some Transaction & ~Copyable,
        _ body: (SetLabel, SetRecord) throws -> Void
    ) throws {
        let prefixKey = Self.prefix(app, kind, name: prefix)
        let afterKey = Self.prefix(app, kind, name: after)
        let isInside = afterKey.starts(with: prefixKey)
        // A name before all names with the prefix leaves out none of them; a name behind them leaves out all.
        guard isInside || afterKey.lexicographicallyPrecedes(prefixKey) else { return }
        try transaction.forEach(
            in: database,
            prefix: prefixKey.span,
            after: isInside && !after.isEmpty ? afterKey.span : nil,
            limit: limit
        ) { key, value in
            try body(try Self.readKey(key).label, try Self.decode(value))
            return .proceed
        }
    }

    /// Calls `body` with every set of every app.
    func forEach(
        in transaction: borrowing some Transaction & ~Copyable, _ body: (AppNumber, SetLabel, SetRecord) throws -> Void
    ) throws {
        try transaction.forEach(in: database, prefix: [UInt8]().span) { key, value in
            let (app, label) = try Self.readKey(key)
            try body(app, label, try Self.decode(value))
            return .proceed
        }
    }

    private func withKey<R>(app: AppNumber, _ label: SetLabel, _ body: (Span<UInt8>) throws -> R) rethrows -> R {
        try ByteWriter.withBytes(
            capacity: Self.keyBytes,
            {
                $0.append(app)
                label.append(to: &$0)
            },
            body
        )
    }

    private static func readKey(_ key: Span<UInt8>) throws -> (app: AppNumber, label: SetLabel) {
        try ByteReader.read(key, of: "sets") { (try $0.number(), try SetLabel(&$0)) }
    }

    private static func decode(_ value: Span<UInt8>) throws -> SetRecord {
        try ByteReader.read(value, of: "sets") { reader in
            try reader.version(version)
            let record = SetRecord(
                number: try reader.number(),
                devices: try reader.number(),
                groupSubscriptions: try reader.number(),
                quarantinedMembers: try reader.number()
            )
            // It keeps sums far from overflow.
            guard record.devices < AppTable.deviceBound else { throw reader.corrupted("a number of devices") }
            return record
        }
    }
}

/// `setnames`: app `u32`, number `u32` → kind `u8`, name: what leads from a number back to its set.
struct SetNameTable {
    let database: Database

    /// The name of the set of a number; nil if there is none.
    func get(
        _ number: SetNumber, app: AppNumber, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> SetLabel? {
        try withKey(app: app, number) { key in try transaction.get(key, in: database, Self.decode) }
    }

    /// Stores what a set is called.
    func put(_ label: SetLabel, for number: SetNumber, app: AppNumber, in transaction: inout WriteTransaction) throws {
        try withKey(app: app, number) { key in
            try ByteWriter.withBytes(capacity: SetLabel.maximumBytes, { label.append(to: &$0) }) { value in
                try transaction.put(value, for: key, in: database)
            }
        }
    }

    /// Forgets a number.
    func delete(_ number: SetNumber, app: AppNumber, in transaction: inout WriteTransaction) throws {
        _ = try withKey(app: app, number) { key in try transaction.delete(key, in: database) }
    }

    /// Calls `body` with every name of every app.
    func forEach(
        in transaction: borrowing some Transaction & ~Copyable, _ body: (AppNumber, SetNumber, SetLabel) throws -> Void
    ) throws {
        try transaction.forEach(in: database, prefix: [UInt8]().span) { key, value in
            let (app, number) = try ByteReader.read(key, of: "setnames") {
                (try $0.number(AppNumber.self), try $0.number(SetNumber.self))
            }
            try body(app, number, try Self.decode(value))
            return .proceed
        }
    }

    private func withKey<R>(app: AppNumber, _ number: SetNumber, _ body: (Span<UInt8>) throws -> R) rethrows -> R {
        try ByteWriter.withBytes(
            capacity: 8,
            {
                $0.append(app)
                $0.append(number)
            },
            body
        )
    }

    private static func decode(_ value: Span<UInt8>) throws -> SetLabel {
        try ByteReader.read(value, of: "setnames") { try SetLabel(&$0) }
    }
}
