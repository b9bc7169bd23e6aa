/// The result of a registration (Protocol 7.1). An open set: a later server may have more.
public struct RegistrationResult: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number on the wire.
    public let rawValue: UInt8

    /// Makes a result from its number; numbers that this version does not know are kept.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// A device was created.
    public static let created = RegistrationResult(rawValue: 1)
    /// The device was known; its times and fields were updated.
    public static let refreshed = RegistrationResult(rawValue: 2)
    /// The device of the replaced token now has this token.
    public static let replaced = RegistrationResult(rawValue: 3)

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
