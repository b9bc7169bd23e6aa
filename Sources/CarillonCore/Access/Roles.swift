/// The roles of a principal for an app: what it may do (Protocol 6.2).
public struct Roles: OptionSet, Hashable, Sendable {
    /// The sum of the roles, as on the wire.
    public let rawValue: UInt8

    /// Makes a set from its sum.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Register, unregister and look up devices.
    public static let register = Roles(rawValue: 1)
    /// Send and watch messages.
    public static let send = Roles(rawValue: 2)
    /// Look up devices and watch messages.
    public static let observe = Roles(rawValue: 4)
    /// Administration.
    public static let admin = Roles(rawValue: 8)

    /// Every role, by its name in files and output.
    public static let named: [(name: String, role: Roles)] = [
        ("register", .register), ("send", .send), ("observe", .observe), ("admin", .admin),
    ]
}
