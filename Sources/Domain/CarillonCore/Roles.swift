/// The roles of a principal for an app (Protocol 6.2).
public struct Roles: OptionSet, Hashable, Sendable {
    /// The sum of the roles, as on the wire.
    public let rawValue: UInt8

    /// Makes roles from their sum; bits without a role are kept.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The role that changes and reads devices, groups and topics.
    public static let register = Roles(rawValue: 1)
    /// The role that sends, updates and reads messages, and makes broadcast channels.
    public static let send = Roles(rawValue: 2)
    /// The role that reads devices and messages, reports receipts and subscribes to events.
    public static let observe = Roles(rawValue: 4)
    /// The role that reads statistics and all devices of an app, and removes nodes of a cluster.
    public static let admin = Roles(rawValue: 8)

    /// The roles with their names in files and output.
    public static let named: [(name: String, role: Roles)] = [
        ("register", .register), ("send", .send), ("observe", .observe), ("admin", .admin),
    ]
}
