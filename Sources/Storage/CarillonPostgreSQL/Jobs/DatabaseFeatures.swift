import CarillonCluster

/// The features of a log database, as far as databases differ.
struct DatabaseFeatures: Hashable, Sendable {
    /// True if the database has LISTEN and NOTIFY.
    var hasNotifications = false
}
