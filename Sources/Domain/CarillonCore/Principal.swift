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
