package import CarillonCore

/// The stored parts of a message besides its status.
package struct MessageDetails: Hashable, Sendable {
    /// The idempotency key of the message; nil if the sender gave none.
    package var key: UUIDBytes?
    package var content: MessageContent
    /// The time after which no attempt starts; nil if the message sets no such time.
    package var notAfter: Timestamp?
    /// The lane in which the message waits.
    package var lane: Lane
    /// True if the message was cancelled.
    package var isCancelled: Bool
    /// The devices that are left out of its audience.
    package var excluded: [DeviceID]
    /// The number of recipients whose next attempt waits.
    package var delayed: UInt64
}
