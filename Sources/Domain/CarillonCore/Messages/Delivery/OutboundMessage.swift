/// An accepted message with pending recipients: the part that the delivery engine needs.
package struct OutboundMessage: Hashable, Sendable {
    package var id: MessageID
    package var content: MessageContent
    /// The time since which the message can be sent: its acceptance or, if it was scheduled, its release.
    package var sendableSince: Timestamp
    /// The time after which no attempt starts; nil for no such time.
    package var notAfter: Timestamp?
    package var lane: Lane
    /// True if the audience is evaluated page by page while it is sent; the engine then decides when the message ends.
    package var isLive: Bool
    /// The first page that may have pending recipients: all recipients of the pages before it have ended.
    package var firstPendingPage: UInt32
    /// The most deliveries a second; nil for no bound.
    package var pace: UInt32?
    /// True if the message was cancelled: the pending recipients end as cancelled.
    package var isCancelled: Bool
    /// The share of this member if several members send the pages; nil if one sends all of them, and for a server on
    /// its own.
    package var share: PageShare?
    /// The broadcast channel that is the only recipient; nil if the message is sent to devices.
    package var channel: ChannelAddress?

    package var queue: OutboxQueue { OutboxQueue(lane: lane, app: content.app) }

    package init(
        id: MessageID, content: MessageContent, sendableSince: Timestamp, notAfter: Timestamp?, lane: Lane,
        isLive: Bool = false, firstPendingPage: UInt32 = 0, pace: UInt32? = nil, isCancelled: Bool = false,
        share: PageShare? = nil, channel: ChannelAddress? = nil
    ) {
        self.id = id
        self.content = content
        self.sendableSince = sendableSince
        self.notAfter = notAfter
        self.lane = lane
        self.isLive = isLive
        self.firstPendingPage = firstPendingPage
        self.pace = pace
        self.isCancelled = isCancelled
        self.share = share
        self.channel = channel
    }
}

extension OutboundMessage {
    /// An outbound message as one object, which all deliveries of the message share.
    package final class Shared: Sendable {
        // Stored, not computed: so a read from another module copies no more than its field.
        package let id: MessageID
        package let content: MessageContent
        package let lane: Lane
        /// The broadcast channel that the message is sent to; nil if it is sent to devices.
        package var channel: ChannelAddress? { value.channel }
        package let value: OutboundMessage

        package init(_ value: OutboundMessage) {
            self.value = value
            id = value.id
            content = value.content
            lane = value.lane
        }
    }
}
