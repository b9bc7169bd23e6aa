/// What a principal may do with an app (Protocol 6.2).
public struct Roles: OptionSet, Hashable, Sendable {
    /// The sum of the roles, as on the wire.
    public let rawValue: UInt8

    /// Makes a set of its sum.
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

/// Roles for one app, or for every app.
public struct Grant: Hashable, Sendable {
    /// The app; nothing stands for every app (`*`).
    public var app: AppID?
    /// What may be done.
    public var roles: Roles

    /// Makes a grant.
    public init(app: AppID?, roles: Roles) {
        self.app = app
        self.roles = roles
    }
}

/// Who a client is, and what it may do.
package struct Principal: Hashable, Sendable {
    /// The name in configuration and logs.
    package var name: String
    /// What it may do; grants add up.
    package var grants: [Grant]
    /// Requests a second before `RATE_LIMITED`; nothing = no limit.
    package var requestsPerSecond: UInt32?

    /// Makes a principal.
    package init(name: String, grants: [Grant], requestsPerSecond: UInt32? = nil) {
        self.name = name
        self.grants = grants
        self.requestsPerSecond = requestsPerSecond
    }

    /// The apps for which it has any of `roles`; nil if that is every app.
    package func apps(as roles: Roles) -> Set<AppID>? {
        let granting = grants.filter { !$0.roles.isDisjoint(with: roles) }
        return granting.contains { $0.app == nil } ? nil : Set(granting.compactMap(\.app))
    }

    /// Whether it has any of `roles` for `app`.
    package func mayUse(_ app: AppID, as roles: Roles) -> Bool {
        grants.contains { ($0.app == nil || $0.app == app) && !$0.roles.isDisjoint(with: roles) }
    }
}
