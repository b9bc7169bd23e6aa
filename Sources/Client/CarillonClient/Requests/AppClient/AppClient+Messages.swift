public import CarillonCore

/// Messages, receipts and events of the app. Each call is the one of `CarillonClient` with that name.
extension AppClient {
    /// Returns the messages of the app, the newest first; fetched as they are consumed.
    public func messages(
        state: MessageState? = nil, sender: String? = nil, label: String? = nil
    ) -> Listing<MessageSummary, MessageID> {
        client.messages(of: app, state: state, sender: sender, label: label)
    }

    /// Returns all recipients of a message with their outcomes; fetched as they are consumed.
    public func outcomes(of message: MessageID) -> Listing<RecipientOutcome, UInt64> {
        client.outcomes(of: message, app: app)
    }

    /// Explains why a device did or did not get a message.
    public func trace(_ message: MessageID, device: DeviceReference) async throws(CarillonError) -> MessageTrace {
        try await client.trace(message, device: device, app: app)
    }

    /// Sends a finished message once more, as a new one, to those of its devices that ended with one of `outcomes`.
    public func resend(
        _ message: MessageID, to outcomes: [Outcome]? = nil, notAfter: Timestamp? = nil,
        key: IdempotencyKey = .random
    ) async throws(CarillonError) -> SendResult {
        try await client.resend(message, app: app, to: outcomes, notAfter: notAfter, key: key)
    }

    /// Reports pushes that have arrived or were opened.
    @discardableResult
    public func reportReceipts(_ receipts: [Receipt]) async throws(CarillonError) -> ReceiptResult {
        try await client.reportReceipts(receipts, app: app)
    }

    /// Returns the devices whose receipt of that kind has come, ascending; fetched as they are consumed.
    public func devices(
        withReceipt kind: ReceiptKind, of message: MessageID
    ) -> Listing<DeviceID, UInt64> {
        client.devices(withReceipt: kind, of: message, app: app)
    }

    /// Subscribes to the events of the app.
    public func events(
        name: String = "", from start: EventStart = .acknowledged, kinds: [Event.Kind]? = nil, window: Int = 256
    ) async throws(CarillonError) -> EventStream {
        try await client.events(name: name, from: start, apps: [app], kinds: kinds, window: window)
    }
}
