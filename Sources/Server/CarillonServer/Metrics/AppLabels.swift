/// The apps that have series of their own. There are few, because each costs memory here and in Prometheus: the others
/// are counted together.
struct AppLabels {
    /// The most apps with series of their own.
    static let maximumApps = 200
    /// The label of all other apps.
    static let other = "other"

    private var apps: Set<String> = []

    /// Returns the label of an app: its bundle id, or `other` if the app has no series of its own and none is free. An
    /// app that asks first takes a series for good.
    mutating func assignLabel(to app: String) -> String {
        if apps.contains(app) { return app }
        guard apps.count < Self.maximumApps else { return Self.other }
        apps.insert(app)
        return app
    }
}
