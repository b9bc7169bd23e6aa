/// A receipt: the report of a service that a push arrived or was opened.
public struct Receipt: Hashable, Sendable {
    /// The message, as its payload named it.
    public var message: MessageID
    /// The device that reports.
    public var device: DeviceReference
    /// The report: the push arrived, or was opened.
    public var kind: ReceiptKind

    /// Makes a receipt; `message` is the id that the payload carried under `MessageContent.idKey`.
    public init(message: MessageID, device: DeviceReference, kind: ReceiptKind) {
        self.message = message
        self.device = device
        self.kind = kind
    }
}
