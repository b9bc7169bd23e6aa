/// The change that REGISTER has made (Protocol 7.1). An open set: a later server may have more.
public struct RegisterResultKind: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number on the wire.
    public let rawValue: UInt8

    /// Makes a value from its number; numbers that this version does not know are kept.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// A device was created.
    public static let created = RegisterResultKind(rawValue: 1)
    /// The device was known; its times and fields were updated.
    public static let refreshed = RegisterResultKind(rawValue: 2)
    /// The device of the replaced token now has this token.
    public static let replaced = RegisterResultKind(rawValue: 3)

    /// The name used in output.
    public var description: String {
        switch self {
        case .created: "created"
        case .refreshed: "refreshed"
        case .replaced: "replaced"
        default: "result-\(rawValue)"
        }
    }
}
