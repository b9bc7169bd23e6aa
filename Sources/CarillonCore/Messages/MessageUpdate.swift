/// What people decide about a message that was accepted (STEER).
public enum MessageUpdate: Hashable, Sendable {
    /// Nobody is sent to any more; everybody who has no outcome yet ends as cancelled.
    case cancel
    /// Nobody is sent to until it is resumed; what is on its way to APNs keeps its answer.
    case pause
    /// Goes on after a pause; a scheduled message starts now.
    case resume
    /// At most so many deliveries a second from now on; nothing lifts the bound.
    case pace(UInt32?)
}

/// What happens to a silent push that would exceed the budget of its device.
public enum OverBudget: UInt8, Hashable, Sendable {
    /// It ends as over-budget.
    case drop = 1
    /// It waits until the budget has room, if that is before its time ends.
    case wait = 2
}

/// What a service tells of a push that has arrived (RECEIPTS).
public enum ReceiptKind: UInt8, Hashable, Sendable, CaseIterable {
    /// The app has got it.
    case received = 1
    /// Somebody has opened it.
    case opened = 2
}

/// One receipt.
public struct Receipt: Hashable, Sendable {
    /// The message, as the payload bore it.
    public var message: MessageID
    /// Whose receipt it is.
    public var device: DeviceReference
    /// What has happened.
    public var kind: ReceiptKind

    /// Makes a receipt.
    public init(message: MessageID, device: DeviceReference, kind: ReceiptKind) {
        self.message = message
        self.device = device
        self.kind = kind
    }
}
