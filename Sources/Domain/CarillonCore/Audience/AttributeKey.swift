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
