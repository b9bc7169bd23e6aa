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

/// The kind of a receipt: the push arrived, or was opened (RECEIPTS).
public enum ReceiptKind: UInt8, Hashable, Sendable, CaseIterable {
    /// The app has received the push.
    case received = 1
    /// The user has opened the push.
    case opened = 2
}
