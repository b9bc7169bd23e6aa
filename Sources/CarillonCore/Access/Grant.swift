/// Roles for one app, or for every app.
public struct Grant: Hashable, Sendable {
    /// The app; nil means every app (`*`).
    public var app: AppID?
    /// What the principal may do for the app.
    public var roles: Roles

    /// Makes a grant.
    public init(app: AppID?, roles: Roles) {
        self.app = app
        self.roles = roles
    }
}
