package import CarillonCore

/// Something that contradicts itself in the stored data.
package enum Finding: Hashable, Sendable {
    /// A table in which the keys met are not as many as were counted, or not in order.
    case tableOutOfOrder(String)
    /// Pages of the file that are in no tree and not free, or in two places at once.
    case pagesDiffer(used: Int, found: Int)
    /// A device, or an address or message, of an app that there is not.
    case unknownApp(UInt32)
    /// A device whose id its app has not given yet.
    case deviceNotGiven(app: UInt32, DeviceID)
    /// A device whose address does not lead back to it.
    case deviceWithoutAddress(app: UInt32, DeviceID)
    /// An address that leads to a device which is not there or has another address.
    case addressWithoutDevice(app: UInt32, DeviceID)
    /// A tombstone at an address that is another's, or that was never heard of.
    case tombstoneAstray(app: UInt32, DeviceAddress)
    /// The addresses of an app that nobody has are not as many as its tombstones.
    case tombstonesDiffer(app: UInt32)
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
    /// A page with somebody pending before the first one that a restart looks at.
    case pendingBelowFloor(MessageID, page: UInt32)
    /// The counts of a message are not those of its outcomes.
    case countsDiffer(MessageID)
    /// A finished message in the outbox, or an unfinished one, or none at all, out of it.
    case outboxDiffers(MessageID)
    /// A message that waits for its time and is not in the schedule, or one in it that does not, or not until then.
    case scheduleDiffers(MessageID)
    /// A message that is not listed among those of its app, or one listed that is not there.
    case listingDiffers(app: UInt32, MessageID)
    /// Receipts of no message, or of a device that is none of its recipients.
    case receiptAstray(MessageID, DeviceID)
    /// The counts of receipts of a message are not those of its rows.
    case receiptsDiffer(MessageID)
    /// A quarantined device that is not listed, or that no sweep would find, or one listed that is not quarantined.
    case quarantineDiffers(app: UInt32, DeviceID)
    /// Silent pushes of a device that is not registered.
    case silentWithoutDevice(app: UInt32, DeviceID)
    /// An event that is missing between two others, or whose number has not been given yet.
    case eventAstray(UInt64)
    /// A subscriber that has acknowledged events that there were not.
    case subscriberAhead(principal: String, name: String)
    /// A finished message that no sweep would find.
    case messageWithoutExpiry(MessageID)
    /// A message whose id has not been given yet.
    case messageNotGiven(MessageID)
    /// A message whose form of audience is not that of its progress.
    case audienceDiffers(MessageID)
    /// A note of the next attempt of somebody who is not pending.
    case delayAstray(MessageID, page: UInt32, position: UInt16)
    /// Attempts at a recipient that the message does not have.
    case attemptAstray(MessageID, page: UInt32, position: UInt16)
    /// A set whose number its app has not given yet.
    case setNotGiven(app: UInt32, set: UInt32)
    /// A number that does not lead back to its set, or leads to none.
    case setNameAstray(app: UInt32, set: UInt32)
    /// A set that nothing needs.
    case setWithoutReason(app: UInt32, set: UInt32)
    /// The stored number of a set's devices is not that of its postings.
    case devicesDiffer(app: UInt32, set: UInt32)
    /// The stored number of groups that hold a topic, or of topics that a group holds, is not that of the rows.
    case holdersDiffer(app: UInt32, set: UInt32)
    /// The stored number of quarantined devices that name a set is not that of the rows.
    case dormantDiffers(app: UInt32, set: UInt32)
    /// A chunk that is empty, out of order, or cannot be read.
    case postingUnreadable(app: UInt32, set: UInt32, chunk: UInt32)
    /// A chunk of a set that there is not.
    case postingWithoutSet(app: UInt32, set: UInt32, chunk: UInt32)
    /// A device in a set that it has no reason to be in.
    case postingWithoutReason(app: UInt32, set: UInt32, DeviceID)
    /// A device that is not in a set in which it belongs; 0 is a set that does not exist.
    case postingMissing(app: UInt32, set: UInt32, DeviceID)
    /// What a device holds, that is not registered.
    case membershipWithoutDevice(app: UInt32, DeviceID)
    /// A device that holds nothing, in a row of its own.
    case membershipEmpty(app: UInt32, DeviceID)
    /// A device that holds a set of another kind, or none that exists.
    case membershipAstray(app: UInt32, DeviceID, set: UInt32)
    /// A group that holds what is no topic, or what holds a topic and is no group.
    case groupTopicAstray(app: UInt32, group: UInt32, topic: UInt32)
}
