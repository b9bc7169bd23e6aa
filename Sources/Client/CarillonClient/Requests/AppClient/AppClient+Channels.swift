public import CarillonCore

/// Requests about the broadcast channels of an app.
extension AppClient {
    /// Creates a broadcast channel and returns its id. The client does not repeat the request after a lost answer.
    public func createChannel(
        in environment: Environment, storagePolicy: StoragePolicy
    ) async throws(CarillonError) -> ChannelID {
        try await client.createChannel(for: app, in: environment, storagePolicy: storagePolicy)
    }

    /// Returns the storage policy of a broadcast channel; throws `.notFound` if APNs knows no such channel.
    public func channelStoragePolicy(
        of channel: ChannelID, in environment: Environment
    ) async throws(CarillonError) -> StoragePolicy {
        try await client.channelStoragePolicy(of: channel, app: app, in: environment)
    }

    /// Returns the broadcast channels in one environment, ascending; fetched as they are consumed.
    public func channels(in environment: Environment) -> Listing<ChannelID, ChannelID> {
        client.channels(of: app, in: environment)
    }

    /// Deletes a broadcast channel for ever. Returns false if APNs knew no such channel.
    @discardableResult
    public func deleteChannel(_ channel: ChannelID, in environment: Environment) async throws(CarillonError) -> Bool {
        try await client.deleteChannel(channel, app: app, in: environment)
    }
}
