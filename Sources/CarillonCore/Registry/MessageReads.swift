/// Reads of messages and of what became of them. They show every answered change, may be made on any thread, and may
/// block on the disk.
package protocol MessageReads: AnyObject, Sendable {
    /// The status of a message; nil if the app has no such message.
    func status(of message: MessageID, app: AppID) throws(RegistryError) -> MessageStatus?

    /// The content of a message; nil if the app has no such message.
    func content(of message: MessageID, app: AppID) throws(RegistryError) -> MessageContent?

    /// Messages of an app that `filter` admits, the newest first, before `message`; at most `limit`, looking at no more
    /// than `RegistryLimits.messagesPerRead`.
    func messages(
        of app: AppID, before message: MessageID?, limit: Int, filter: MessageFilter
    ) throws(RegistryError) -> MessageSummaryPage

    /// A page of at most `limit` recipients; `cursor` 0 starts.
    func outcomes(
        of message: MessageID,
        app: AppID,
        cursor: UInt64,
        limit: Int
    ) throws(RegistryError) -> RecipientOutcomePage?

    /// Why one device did or did not get one message (TRACE, Protocol 8.8).
    func trace(
        of message: MessageID, device: DeviceReference, app: AppID
    ) throws(RegistryError) -> MessageTraceResult

    /// Devices with a receipt of that kind for a message; `cursor` 0 starts.
    func receipts(
        of message: MessageID, app: AppID, kind: ReceiptKind, cursor: UInt64, limit: Int
    ) throws(RegistryError) -> DevicePage?

    /// The number of devices in the audience of an unfinished message that was accepted without counting them; nil if
    /// the message has finished, or was counted.
    func audienceCount(of message: MessageID) throws(RegistryError) -> UInt64?

    /// The answer that a message would get: its audience is counted, and nothing is stored.
    func dryRun(_ message: Message) throws(RegistryError) -> Acceptance
}
