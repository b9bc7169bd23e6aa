/// A broadcast channel of an app: what identifies it at APNs.
public struct ChannelAddress: Hashable, Sendable, CustomStringConvertible {
    /// Which APNs.
    public var environment: APNsEnvironment
    /// Its id.
    public var id: ChannelID

    /// The address of a channel that APNs has created, or that is assumed to exist: it is not looked up.
    public init(environment: APNsEnvironment, id: ChannelID) {
        self.environment = environment
        self.id = id
    }

    /// `channel dHN0LXNyY2gtY2hubA== of production`.
    public var description: String { "channel \(id) of \(environment.name)" }
}
