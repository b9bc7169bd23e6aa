import CarillonCore

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

    /// True if the set follows from the records of devices.
    var isDerived: Bool { kind == .all || kind == .attribute }

    init(_ name: SetName) {
        switch name {
        case .all: self = .all
        case .topic(let topic): self = .topic(topic)
        case .group(let group): self = .group(group)
        case .attribute(let key, let value): self = .attribute(key.name, value.text)
        }
    }

    /// The number of bytes of the longest form in keys: an attribute's is shorter than a name.
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
            throw reader.corrupted("an invalid name of a set")
        }
        self.init(kind: kind, name: texts[0], value: texts.count > 1 ? texts[1] : "")
    }
}

/// The kind of a set, which says why a device is in it.
enum SetKind: UInt8 {
    /// The set of every active device.
    case all = 1
    /// The set of the devices that get no pushes. It is stored like a topic: a device itself or one of its groups is
    /// subscribed.
    case muted = 2
    case topic = 3
    case group = 4
    case attribute = 5
}

extension String {
    /// Returns true if the name is before another one in the order of the keys, which is that of the bytes.
    func isBefore(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}
