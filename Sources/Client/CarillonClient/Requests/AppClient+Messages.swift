public import CarillonCore

/// Messages, receipts, events and broadcast channels of the app: each method is the one of `CarillonClient` with that
/// name, for this app.
extension AppClient {
    /// Returns the messages of the app, the newest first; fetched as they are consumed.
    ///
    /// ```swift
    /// for try await message in game.messages(state: .sending) { print(message.id, message.ended, message.total) }
    /// ```
    public func messages(
        state: MessageState? = nil, sender: String? = nil, label: String? = nil
    ) -> Listing<MessageSummary, MessageID> {
        client.messages(of: app, state: state, sender: sender, label: label)
    }

    /// Returns all recipients of a message with their outcomes; fetched as they are consumed.
    ///
    /// ```swift
    /// for try await recipient in game.outcomes(of: message.id) where recipient.outcome != .delivered {
    ///     print(recipient.outcome)
    /// }
    /// ```
    public func outcomes(of message: MessageID) -> Listing<RecipientOutcome, UInt64> {
        client.outcomes(of: message, app: app)
    }

    /// Explains why a device did or did not get a message.
    ///
    /// ```swift
    /// let trace = try await game.trace(message.id, device: .id(phone.id))
    /// print(trace.outcome, "after", trace.attempts.count, "attempts")
    /// ```
    public func trace(_ message: MessageID, device: DeviceReference) async throws(CarillonError) -> MessageTrace {
        try await client.trace(message, device: device, app: app)
    }

    /// Sends a finished message again, as a new message, to those of its devices that ended with one of `outcomes`.
    ///
    /// ```swift
    /// let copy = try await game.resend(message.id, to: [.expired, .gaveUp], notAfter: .fromNow(.seconds(3_600)))
    /// print(copy.id, "for", copy.total, "devices")
    /// ```
    public func resend(
        _ message: MessageID, to outcomes: [Outcome]? = nil, notAfter: Timestamp? = nil, key: IdempotencyKey = .random
    ) async throws(CarillonError) -> SendResult {
        try await client.resend(message, app: app, to: outcomes, notAfter: notAfter, key: key)
    }

    /// Reports pushes that have arrived or were opened.
    ///
    /// ```swift
    /// try await game.reportReceipts([Receipt(message: message.id, device: .id(phone.id), kind: .opened)])
    /// ```
    @discardableResult
    public func reportReceipts(_ receipts: [Receipt]) async throws(CarillonError) -> ReceiptResult {
        try await client.reportReceipts(receipts, app: app)
    }

    /// Returns the devices whose receipt of that kind has come, ascending; fetched as they are consumed.
    ///
    /// ```swift
    /// for try await device in game.devices(withReceipt: .opened, of: message.id) { print(device) }
    /// ```
    public func devices(
        withReceipt kind: ReceiptKind, of message: MessageID
    ) -> Listing<DeviceID, UInt64> {
        client.devices(withReceipt: kind, of: message, app: app)
    }

    /// Subscribes to the events of the app.
    ///
    /// ```swift
    /// for try await element in try await game.events(kinds: [.messageFinished]) {
    ///     if case .event(let event) = element { print(event.message?.description ?? "no message") }
    /// }
    /// ```
    public func events(
        name: String = "", from start: EventStart = .acknowledged, kinds: [Event.Kind]? = nil, window: Int = 256
    ) async throws(CarillonError) -> EventStream {
        try await client.events(name: name, from: start, apps: [app], kinds: kinds, window: window)
    }
}

extension AppClient {
    /// Creates a broadcast channel and returns its id. The client does not repeat the request after a lost answer.
    ///
    /// ```swift
    /// let channel = try await game.createChannel(in: .production, storagePolicy: .mostRecent)
    /// ```
    public func createChannel(
        in environment: Environment, storagePolicy: StoragePolicy
    ) async throws(CarillonError) -> ChannelID {
        try await client.createChannel(for: app, in: environment, storagePolicy: storagePolicy)
    }

    /// Returns the storage policy of a broadcast channel; throws `.notFound` if APNs knows no such channel.
    ///
    /// ```swift
    /// let policy = try await game.channelStoragePolicy(of: channel, in: .production)
    /// ```
    public func channelStoragePolicy(
        of channel: ChannelID, in environment: Environment
    ) async throws(CarillonError) -> StoragePolicy {
        try await client.channelStoragePolicy(of: channel, app: app, in: environment)
    }

    /// Returns the broadcast channels in one environment, ascending; fetched as they are consumed.
    ///
    /// ```swift
    /// for try await channel in game.channels(in: .production) { print(channel) }
    /// ```
    public func channels(in environment: Environment) -> Listing<ChannelID, ChannelID> {
        client.channels(of: app, in: environment)
    }

    /// Deletes a broadcast channel permanently. Returns false if APNs knew no such channel.
    ///
    /// ```swift
    /// try await game.deleteChannel(channel, in: .production)
    /// ```
    @discardableResult
    public func deleteChannel(_ channel: ChannelID, in environment: Environment) async throws(CarillonError) -> Bool {
        try await client.deleteChannel(channel, app: app, in: environment)
    }
}
