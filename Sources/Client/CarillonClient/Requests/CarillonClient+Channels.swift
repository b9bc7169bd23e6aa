public import CarillonCore
import CarillonWire

/// Broadcast channels of Live Activities, which APNs keeps. A call throws `.apnsRefused` or `.notFound` if APNs refuses
/// it: then the error's `reason` is that of APNs. It throws `.apnsUnavailable` if APNs does not answer: then `reason`
/// is a word of the server, such as `timeout`.
extension CarillonClient {
    /// Creates a broadcast channel and returns its id.
    ///
    /// The client does not repeat the call after a lost answer (effect `.unknown`): APNs would create another channel.
    /// `channels(of:in:)` shows whether a channel was created.
    ///
    /// - Parameter storagePolicy: which of the channel's messages APNs stores. It cannot be changed later.
    public func createChannel(
        for app: AppID, in environment: Environment, storagePolicy: StoragePolicy
    ) async throws(CarillonError) -> ChannelID {
        try await request(CreateChannelRequest(app: app, environment: environment, storagePolicy: storagePolicy))
    }

    /// Returns the storage policy of a broadcast channel; throws `.notFound` if APNs knows no such channel.
    public func channelStoragePolicy(
        of channel: ChannelID, app: AppID, in environment: Environment
    ) async throws(CarillonError) -> StoragePolicy {
        try await request(ChannelRequest(app: app, environment: environment, channel: channel))
    }

    /// Returns one page of the broadcast channels of an app in one environment, ascending: at most `limit` (1 to 1,000)
    /// after `cursor`. Each page asks APNs for all of them.
    public func channels(
        of app: AppID, in environment: Environment, after cursor: ChannelID?, limit: Int = 1_000
    ) async throws(CarillonError) -> Page<ChannelID, ChannelID> {
        let query = ChannelsRequest(
            app: app, environment: environment, after: cursor?.text ?? "", limit: Self.pageLimit(limit))
        let page = try await request(query)
        return Page(rows: page.channels, next: page.next.flatMap { ChannelID($0) })
    }

    /// Returns the broadcast channels of an app in one environment, ascending; fetched as they are consumed.
    public func channels(of app: AppID, in environment: Environment) -> Listing<ChannelID, ChannelID> {
        Listing { cursor throws(CarillonError) in
            try await self.channels(of: app, in: environment, after: cursor)
        }
    }

    /// Deletes a broadcast channel permanently. Returns false if APNs knew no such channel.
    @discardableResult
    public func deleteChannel(
        _ channel: ChannelID, app: AppID, in environment: Environment
    ) async throws(CarillonError) -> Bool {
        try await request(DeleteChannelRequest(app: app, environment: environment, channel: channel))
    }
}
