import CarillonCore

/// The part of a message that does not change while it is sent. The part that changes is its ``MessageProgress``.
struct MessageRecord: Hashable {
    /// The idempotency key; nil if the sender gave none.
    var key: UUIDBytes?
    var content: MessageContent
    var notAfter: Timestamp?
    var lane: Lane
    /// The broadcast channel, if it is the only recipient. It is like a list of one recipient that is not a device.
    var channel: ChannelAddress?
    /// The audience of a message that is not sent to a list, whose recipients are rows of their own; nil for a list.
    /// The `idBound` of a scheduled message is set again when its time has come.
    var live: LiveAudience?
}
