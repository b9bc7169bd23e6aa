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
