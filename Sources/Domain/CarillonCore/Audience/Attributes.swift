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

    /// Applies `changes` in order. Other keys stay as they are. If this throws, no change is applied.
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

/// The reason why a change of attributes is refused.
public enum AttributeError: Error, Hashable, Sendable {
    /// The key is derived from the device.
    case reserved(AttributeKey)
    /// The device would have more than `Attributes.maximumCount`.
    case tooMany(Int)
}
