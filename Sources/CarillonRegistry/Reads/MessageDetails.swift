package import CarillonCore

/// The stored parts of a message besides its status.
package struct MessageDetails: Hashable, Sendable {
    /// Its idempotency key; nil if the sender gave none.
    package var key: UUIDBytes?
    package var content: MessageContent
    /// After it no attempt starts.
    package var notAfter: Timestamp?
    /// Which queue it waits in.
    package var lane: Lane
    /// True if it was cancelled.
    package var isCancelled: Bool
    /// Devices that are left out of its audience.
    package var except: [DeviceID]
    /// Recipients whose next attempt waits.
    package var delayed: UInt64
}
