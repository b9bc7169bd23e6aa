package import CarillonCore

/// An inconsistency in the stored data.
package enum Finding: Hashable, Sendable {
    /// A table whose number of keys is not the stored number, or whose keys are out of order.
    case tableOutOfOrder(String)
    /// The number of pages of the file, and the number that was found in trees and among the free pages. They differ if
    /// a page is in neither, or in two places at once.
    case pagesDiffer(used: Int, found: Int)
    /// A device, an address, a set, an idempotency key or a message of an app that does not exist.
    case unknownApp(UInt32)
    /// A device with an id that its app has not given yet.
    case deviceNotAssigned(app: UInt32, DeviceID)
    /// A device that `addresses` does not find by its address.
    case deviceWithoutAddress(app: UInt32, DeviceID)
    /// An address that leads to a device which is not there or has another address.
    case addressWithoutDevice(app: UInt32, DeviceID)
    /// A tombstone at an address that has another row in `addresses`, or none.
    case orphanedTombstone(app: UInt32, DeviceAddress)
    /// An app whose number of rows of `addresses` with a tombstone is not the number of its tombstones.
    case tombstonesDiffer(app: UInt32)
    /// A tombstone that no sweep would find.
    case tombstoneWithoutExpiry(app: UInt32, DeviceAddress)
    /// An idempotency key that no sweep would find.
    case keyWithoutExpiry(app: UInt32, UUIDBytes)
    /// A row of `expiry` for an item that does not exist, or not since that time.
    case expiryOfNothing(kind: UInt8, at: Timestamp)
    /// A message whose content is missing, or a content without a message.
    case contentDiffers(MessageID)
    /// The sender, label and distributed trace of a message that does not exist.
    case orphanedMetadata(MessageID)
    /// Claims of a message that is finished or does not exist.
    case orphanedClaims(MessageID)
    /// A sender of the silent pushes of an app that does not exist.
    case orphanedSilentClaim(AppID)
    /// A page that is missing, belongs to no message, or has different numbers of recipients and outcomes; or a page of
    /// a live audience with recipients that the message does not address.
    case pageDiffers(MessageID, page: UInt32)
    /// A page with a pending recipient before the first page that a restart reads.
    case pendingInFinishedPage(MessageID, page: UInt32)
    /// A message whose counts differ from its outcomes.
    case countsDiffer(MessageID)
    /// A finished message in the outbox, an unfinished message that is neither in it nor held, a row of the outbox
    /// without a message, or a message that is marked as finished although a recipient is pending, or the reverse.
    case outboxDiffers(MessageID)
    /// A scheduled message that is not in the schedule or may be sent already, a row of the schedule without such a
    /// message, or a finished message that is held.
    case scheduleDiffers(MessageID)
    /// A message that is missing in the list of its app, or a listed one that does not exist or is of another app.
    case listingDiffers(app: UInt32, MessageID)
    /// Receipts of no message, or of a device that is not one of its recipients.
    case orphanedReceipt(MessageID, DeviceID)
    /// A message whose counts of receipts differ from its rows.
    case receiptsDiffer(MessageID)
    /// A quarantined device that is not listed or that no sweep would find, or a listed device without a quarantine.
    case quarantineDiffers(app: UInt32, DeviceID)
    /// Silent pushes of a device that is not registered.
    case silentWithoutDevice(app: UInt32, DeviceID)
    /// A push subscription of a device that is not a browser or is not registered.
    case subscriptionWithoutBrowser(app: UInt32, DeviceID)
    /// An event that is missing between two others, or has a number that was not given yet.
    case eventOutOfOrder(UInt64)
    /// A subscriber that has acknowledged more events than there were.
    case subscriberAhead(principal: String, name: String)
    /// A finished message that no sweep would find.
    case messageWithoutExpiry(MessageID)
    /// A message with an id that was not given yet.
    case messageNotAssigned(MessageID)
    /// A message with another form of audience than its progress says.
    case audienceDiffers(MessageID)
    /// A delay of a recipient that is not pending.
    case orphanedDelay(MessageID, page: UInt32, position: UInt16)
    /// Attempts at a recipient that the message does not have.
    case orphanedAttempt(MessageID, page: UInt32, position: UInt16)
    /// A set with a number that its app has not given yet.
    case setNotAssigned(app: UInt32, set: UInt32)
    /// A number that does not lead back to its set, or leads to none.
    case setNameDiffers(app: UInt32, set: UInt32)
    /// A set that no row needs.
    case setWithoutReason(app: UInt32, set: UInt32)
    /// A stored number of a set's devices that differs from its postings.
    case devicesDiffer(app: UInt32, set: UInt32)
    /// A stored number of groups of a topic, or of topics of a group, that differs from the rows.
    case groupSubscriptionsDiffer(app: UInt32, set: UInt32)
    /// A stored number of quarantined devices that name a set, which differs from the rows.
    case quarantinedMembersDiffer(app: UInt32, set: UInt32)
    /// A chunk that cannot be read: it is empty, its devices are out of order, or its bytes have no known form.
    case postingUnreadable(app: UInt32, set: UInt32, chunk: UInt32)
    /// A chunk of a set that does not exist.
    case postingWithoutSet(app: UInt32, set: UInt32, chunk: UInt32)
    /// A device in a set that it has no reason to be in.
    case postingWithoutReason(app: UInt32, set: UInt32, DeviceID)
    /// A device that is not in a set in which it belongs; 0 is a set that does not exist.
    case postingMissing(app: UInt32, set: UInt32, DeviceID)
    /// A membership of a device that is not registered.
    case membershipWithoutDevice(app: UInt32, DeviceID)
    /// A membership without groups and topics.
    case membershipEmpty(app: UInt32, DeviceID)
    /// A membership with a set of the wrong kind, or that does not exist.
    case orphanedMembership(app: UInt32, DeviceID, set: UInt32)
    /// A subscription of a group with a set that is not a topic, or of a set that is not a group.
    case orphanedGroupTopic(app: UInt32, group: UInt32, topic: UInt32)
}
