/// A limit of connections that is reached.
struct ConnectionLimit: Hashable, Sendable {
    var setting: Setting
    /// The most connections.
    var maximum: Int
}
