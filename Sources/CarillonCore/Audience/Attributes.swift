/// The key of an attribute, such as `platform` (Conditions 3).
public struct AttributeKey: Hashable, Sendable, CustomStringConvertible {
    /// The key: 1 to 32 bytes, ASCII letters, digits and `-_.`.
    public let name: String

    /// The longest key, in bytes.
    public static let byteLimit = 32

    /// The device's language tag.
    package static let locale = AttributeKey(reserved: "locale")
    /// The device's environment.
    package static let environment = AttributeKey(reserved: "environment")
    /// What the device's token is good for.
    package static let kind = AttributeKey(reserved: "kind")

    /// Makes a key, or nil if `name` is none.
    public init?(_ name: String) {
        let bytes = name.utf8
        guard (1...Self.byteLimit).contains(bytes.count), bytes.allSatisfy(NameAlphabet.isInKey) else { return nil }
        self.name = name
    }

    private init(reserved name: String) {
        self.name = name
    }

    /// Whether the server derives it from the device: `locale`, `environment` and `kind`. Callers cannot set these.
    public var isReserved: Bool { self == .locale || self == .environment || self == .kind }

    /// The key.
    public var description: String { name }
}

/// The value of an attribute, such as `ios` (Conditions 3). Values are compared byte by byte.
public struct AttributeValue: Hashable, Sendable, CustomStringConvertible {
    /// The value: 1 to 64 bytes, ASCII letters, digits and `-_.~%/:@+`.
    public let text: String

    /// The longest value, in bytes.
    public static let byteLimit = 64

    /// Makes a value, or nil if `text` is none.
    public init?(_ text: String) {
        let bytes = text.utf8
        guard (1...Self.byteLimit).contains(bytes.count), bytes.allSatisfy(NameAlphabet.isInName) else { return nil }
        self.text = text
    }

    /// The value.
    public var description: String { text }
}

/// What a caller does to one attribute of a device.
public struct AttributeChange: Hashable, Sendable {
    /// Which attribute.
    public let key: AttributeKey
    /// Its new value; nothing forgets the key.
    public let value: AttributeValue?

    /// Makes a change.
    public init(key: AttributeKey, value: AttributeValue?) {
        self.key = key
        self.value = value
    }

    /// Makes a change of two texts, or nil if one is not allowed. An empty value forgets the key.
    public init?(key: String, value: String) {
        guard let key = AttributeKey(key) else { return nil }
        if value.isEmpty {
            self.init(key: key, value: nil)
        } else {
            guard let value = AttributeValue(value) else { return nil }
            self.init(key: key, value: value)
        }
    }
}

/// Why a change of attributes is refused.
public enum AttributeFault: Error, Hashable, Sendable {
    /// The key is derived from the device.
    case reserved(AttributeKey)
    /// The device would have more than `Attributes.countLimit`.
    case tooMany(Int)
}

/// A device's own attributes: at most 16, sorted by key, each key once.
public struct Attributes: Hashable, Sendable {
    /// One attribute.
    public struct Entry: Hashable, Sendable {
        /// Its key.
        public let key: AttributeKey
        /// Its value.
        public let value: AttributeValue
    }

    /// The most attributes of a device.
    public static let countLimit = 16

    /// The attributes, ascending by the bytes of their keys.
    public private(set) var entries: [Entry] = []

    /// Makes an empty set of attributes.
    public init() {}

    /// The value of a key.
    public subscript(key: AttributeKey) -> AttributeValue? {
        entries.first { $0.key == key }?.value
    }

    /// Makes `changes` in order; keys that they do not name stay. Either all are made or, if this throws, none.
    public mutating func merge(_ changes: some Sequence<AttributeChange>) throws(AttributeFault) {
        var merged = entries
        for change in changes {
            guard !change.key.isReserved else { throw .reserved(change.key) }
            let place = merged.firstIndex { change.key.name <= $0.key.name } ?? merged.count
            let isThere = place < merged.count && merged[place].key == change.key
            switch change.value {
            case let value? where isThere: merged[place] = Entry(key: change.key, value: value)
            case let value?: merged.insert(Entry(key: change.key, value: value), at: place)
            case nil: if isThere { merged.remove(at: place) }
            }
        }
        guard merged.count <= Self.countLimit else { throw .tooMany(merged.count) }
        entries = merged
    }
}
