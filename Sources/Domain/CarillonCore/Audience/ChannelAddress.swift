/// The address of a broadcast channel of an app at APNs.
public struct ChannelAddress: Hashable, Sendable, CustomStringConvertible {
    /// The environment of APNs in which the channel is.
    public var environment: APNsEnvironment
    /// The id that APNs gave the channel when it was created.
    public var id: ChannelID

    /// Makes the address of a channel that APNs has created, or that is assumed to exist: it is not looked up.
    public init(environment: APNsEnvironment, id: ChannelID) {
        self.environment = environment
        self.id = id
    }

    /// The address in words, such as `channel dHN0LXNyY2gtY2hubA== of production`.
    public var description: String { "channel \(id) of \(environment.name)" }
}
