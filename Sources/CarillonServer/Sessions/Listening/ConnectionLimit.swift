/// A limit of connections that is reached.
struct ConnectionLimit: Hashable, Sendable {
    var setting: Setting
    /// The number of connections that are allowed.
    var limit: Int
}
