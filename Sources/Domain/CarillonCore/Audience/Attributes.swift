/// A device's own attributes: at most 16, sorted by key, each key once.
public struct Attributes: Hashable, Sendable {
    /// An attribute that the device has.
    public struct Entry: Hashable, Sendable {
        /// The key, which no other attribute of the device has.
        public let key: AttributeKey
        /// The value; never empty.
        public let value: AttributeValue
    }

    /// The most attributes of a device.
    public static let maximumCount = 16

    /// The attributes, ascending by the bytes of their keys.
    public private(set) var entries: [Entry] = []

    /// Makes an empty set of attributes.
    public init() {}

    /// Returns the value of a key; nil if the device does not have the attribute.
    public subscript(key: AttributeKey) -> AttributeValue? {
        entries.first { $0.key == key }?.value
    }

    /// Applies `changes` in order; other keys stay as they are. If this throws, none is applied.
    public mutating func merge(_ changes: some Sequence<AttributeChange>) throws(AttributeError) {
        var merged = entries
        for change in changes {
            guard !change.key.isReserved else { throw .reserved(change.key) }
            let index = merged.firstIndex { change.key.name <= $0.key.name } ?? merged.count
            let isPresent = index < merged.count && merged[index].key == change.key
            switch change.value {
            case let value? where isPresent: merged[index] = Entry(key: change.key, value: value)
            case let value?: merged.insert(Entry(key: change.key, value: value), at: index)
            case nil: if isPresent { merged.remove(at: index) }
            }
        }
        guard merged.count <= Self.maximumCount else { throw .tooMany(merged.count) }
        entries = merged
    }
}

/// The key of an attribute, such as `platform` (Conditions 3).
public struct AttributeKey: Hashable, Sendable, CustomStringConvertible {
    /// The key: 1 to 32 bytes, ASCII letters, digits and `-_.`.
    public let name: String

    /// The longest key, in bytes.
    public static let maximumBytes = 32

    /// The device's language tag.
    package static let locale = AttributeKey(constant: "locale")
    /// The device's environment.
    package static let environment = AttributeKey(constant: "environment")
    /// The kind of the device's token.
    package static let kind = AttributeKey(constant: "kind")
    /// The platform of the device. It follows from the kind of its token if the device has no attribute of that name.
    package static let platform = AttributeKey(constant: "platform")

    /// Makes a key; returns nil if `name` is not allowed.
    public init?(_ name: String) {
        let bytes = name.utf8
        guard (1...Self.maximumBytes).contains(bytes.count), bytes.allSatisfy(NameAlphabet.isInKey) else { return nil }
        self.name = name
    }

    private init(constant name: String) {
        self.name = name
    }

    /// True if the server derives the attribute from the device: `locale`, `environment` and `kind`. Callers cannot set
    /// these.
    public var isReserved: Bool { self == .locale || self == .environment || self == .kind }

    /// The key as in requests and conditions: `tier`.
    public var description: String { name }
}

/// The value of an attribute, such as `ios` (Conditions 3). Values are compared byte by byte.
public struct AttributeValue: Hashable, Sendable, CustomStringConvertible {
    /// The value: 1 to 64 bytes, ASCII letters, digits and `-_.~%/:@+`.
    public let text: String

    /// The longest value, in bytes.
    public static let maximumBytes = 64

    /// Makes a value; returns nil if `text` is not allowed.
    public init?(_ text: String) {
        let bytes = text.utf8
        guard (1...Self.maximumBytes).contains(bytes.count), bytes.allSatisfy(NameAlphabet.isInName) else { return nil }
        self.text = text
    }

    /// The value as in requests and conditions: `ios`.
    public var description: String { text }
}

/// A change of one attribute of a device.
public struct AttributeChange: Hashable, Sendable {
    /// The key of the attribute to set or to remove.
    public let key: AttributeKey
    /// The new value of the attribute; nil removes it.
    public let value: AttributeValue?

    /// Makes a change that sets an attribute, or with nil removes it.
    public init(key: AttributeKey, value: AttributeValue?) {
        self.key = key
        self.value = value
    }

    /// Makes a change from two strings; returns nil if one of them is not allowed. An empty value removes the
    /// attribute.
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

/// The reason why a change of attributes is refused.
public enum AttributeError: Error, Hashable, Sendable {
    /// The key is derived from the device.
    case reserved(AttributeKey)
    /// The device would have more than `Attributes.maximumCount`.
    case tooMany(Int)
}
