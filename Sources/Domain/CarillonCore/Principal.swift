/// An authenticated client: its name and its grants.
package struct Principal: Hashable, Sendable {
    /// The name of the client in configuration and logs.
    package var name: String
    /// The grants; they add up.
    package var grants: [Grant]
    /// The requests a second beyond which the answer is `RATE_LIMITED`; nil for no limit.
    package var requestsPerSecond: UInt32?

    /// The longest name of a principal, in bytes.
    package static let maximumNameBytes = 255

    package init(name: String, grants: [Grant], requestsPerSecond: UInt32? = nil) {
        self.name = name
        self.grants = grants
        self.requestsPerSecond = requestsPerSecond
    }

    /// Returns the apps for which the principal has any of `roles`; nil if that is every app.
    package func apps(as roles: Roles) -> Set<AppID>? {
        let granting = grants.filter { !$0.roles.isDisjoint(with: roles) }
        return granting.contains { $0.app == nil } ? nil : Set(granting.compactMap(\.app))
    }

    /// Returns true if the principal has any of `roles` for `app`.
    package func mayUse(_ app: AppID, as roles: Roles) -> Bool {
        grants.contains { ($0.app == nil || $0.app == app) && !$0.roles.isDisjoint(with: roles) }
    }
}

/// The roles of a principal for one app, or for every app.
public struct Grant: Hashable, Sendable {
    /// The app; nil means every app (`*`).
    public var app: AppID?
    /// The roles for the app, beside those of the principal's other grants.
    public var roles: Roles

    /// Makes a grant of roles for one app, or with nil for every app.
    public init(app: AppID?, roles: Roles) {
        self.app = app
        self.roles = roles
    }
}

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
