import CarillonCore

/// An item that retention removes at its time.
enum Expiring: Hashable {
    /// A tombstone at an address.
    case tombstone(AppNumber, DeviceAddress)
    /// An idempotency key.
    case idempotencyKey(AppNumber, UUIDBytes)
    /// A finished message.
    case message(MessageID)
    /// A quarantined device.
    case quarantined(AppNumber, DeviceID)

    /// The kind of the item, whose number is the first byte of its key.
    var kind: ExpiringKind {
        switch self {
        case .tombstone: .tombstone
        case .idempotencyKey: .idempotencyKey
        case .message: .message
        case .quarantined: .quarantined
        }
    }
}
