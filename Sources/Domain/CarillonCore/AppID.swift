/// The bundle id that names an app, such as `com.example.game` (Protocol 7).
public struct AppID: Hashable, Sendable, CustomStringConvertible {
    /// The bundle id: 1 to 155 bytes, letters, digits, `.` and `-`.
    public let name: String

    /// The longest bundle id, in bytes.
    public static let maximumBytes = 155

    /// Makes an app id; returns nil if `name` is not a bundle id.
    public init?(_ name: String) {
        let bytes = name.utf8
        guard (1...Self.maximumBytes).contains(bytes.count), bytes.allSatisfy(Self.isAllowed) else { return nil }
        self.name = name
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
    }

    /// The bundle id, as `name`.
    public var description: String { name }
}
