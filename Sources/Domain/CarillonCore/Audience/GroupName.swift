/// The name of a device group, such as `user/42` (Conditions 3).
public struct GroupName: Hashable, Sendable, CustomStringConvertible {
    /// The name: 1 to 200 bytes, ASCII letters, digits and `-_.~%/:@+`, not beginning with `/`.
    public let name: String

    /// The longest name, in bytes.
    public static let maximumBytes = 200

    /// Makes a name; returns nil if `name` is not allowed.
    public init?(_ name: String) {
        guard NameAlphabet.isSetName(name[...], maximumBytes: Self.maximumBytes) else { return nil }
        self.name = name
    }

    /// The name as in requests and conditions: `user/42`.
    public var description: String { name }
}
