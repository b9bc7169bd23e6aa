/// The kind of a receipt: the push arrived, or was opened (RECEIPTS).
public enum ReceiptKind: UInt8, Hashable, Sendable, CaseIterable {
    /// The app has received the push.
    case received = 1
    /// The user has opened the push.
    case opened = 2
}
