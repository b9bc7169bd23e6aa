package import CarillonCore

/// Something that contradicts itself in the stored data.
package enum Finding: Hashable, Sendable {
    /// A device, or an address or message, of an app that there is not.
    case unknownApp(UInt32)
    /// A device whose id its app has not given yet.
    case deviceNotGiven(app: UInt32, DeviceID)
    /// A device whose address does not lead back to it.
    case deviceWithoutAddress(app: UInt32, DeviceID)
    /// An address that leads to a device which is not there or has another address.
    case addressWithoutDevice(app: UInt32, DeviceID)
    /// A tombstone that no sweep would find.
    case tombstoneWithoutExpiry(app: UInt32, DeviceAddress)
    /// An idempotency key that no sweep would find.
    case keyWithoutExpiry(app: UInt32, UUIDBytes)
    /// A note of retention for something that is not there, or not since that time.
    case expiryOfNothing(kind: UInt8, at: Timestamp)
    /// A message whose content is missing, or a content without a message.
    case contentAstray(MessageID)
    /// A page that is missing, that no message has, or whose recipients and outcomes differ in number.
    case pageAstray(MessageID, page: UInt32)
    /// The counts of a message are not those of its outcomes.
    case countsDiffer(MessageID)
    /// A finished message in the outbox, or an unfinished one, or none at all, out of it.
    case outboxDiffers(MessageID)
    /// A finished message that no sweep would find.
    case messageWithoutExpiry(MessageID)
    /// A message whose id has not been given yet.
    case messageNotGiven(MessageID)
}
