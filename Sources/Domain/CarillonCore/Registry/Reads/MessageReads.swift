/// Reads of messages and of their outcomes. They show every answered change, may be made on any thread, and may block
/// on the disk.
package protocol MessageReads: AnyObject, Sendable {
    /// Returns the status of a message; nil if the app has no such message.
    func status(of message: MessageID, app: AppID) throws(RegistryError) -> MessageStatus?

    /// Returns the content of a message; nil if the app has no such message.
    func content(of message: MessageID, app: AppID) throws(RegistryError) -> MessageContent?

    /// Returns the messages of an app that `filter` admits, the newest first, before `message`; at most `limit`,
    /// looking at no more than `RegistryLimits.messagesPerRead`.
    func messages(
        of app: AppID, before message: MessageID?, limit: Int, filter: MessageFilter
    ) throws(RegistryError) -> MessageSummaryPage

    /// Returns a page of at most `limit` recipients; `cursor` 0 starts. Returns nil if the app has no such message.
    func outcomes(
        of message: MessageID,
        app: AppID,
        cursor: UInt64,
        limit: Int
    ) throws(RegistryError) -> RecipientOutcomePage?

    /// Explains why one device did or did not get one message (TRACE, Protocol 10.8).
    func trace(
        of message: MessageID, device: DeviceReference, app: AppID
    ) throws(RegistryError) -> MessageTraceResult

    /// Returns a page of the devices with a receipt of that kind for a message; `cursor` 0 starts. Returns nil if the
    /// app has no such message.
    func receipts(
        of message: MessageID, app: AppID, kind: ReceiptKind, cursor: UInt64, limit: Int
    ) throws(RegistryError) -> DeviceIDPage?

    /// Counts the devices in the audience of an unfinished message that was accepted without counting them; returns nil
    /// if the message has finished, or was counted.
    func audienceCount(of message: MessageID) throws(RegistryError) -> UInt64?

    /// Returns the answer that a message would get: its audience is counted, and nothing is stored.
    func dryRun(_ message: Message) throws(RegistryError) -> SendResult
}
