/// A queue of messages: the ones of an app in a lane.
package struct OutboxQueue: Hashable, Comparable, Sendable {
    package var lane: Lane
    package var app: AppID

    /// Names the queue of a lane of an app.
    package init(lane: Lane, app: AppID) {
        self.lane = lane
        self.app = app
    }

    /// Orders by lane, then app.
    package static func < (left: OutboxQueue, right: OutboxQueue) -> Bool {
        (left.lane.rawValue, left.app.name) < (right.lane.rawValue, right.app.name)
    }
}

/// An accepted message with pending recipients: the part that the delivery engine needs.
package struct OutboxEntry: Hashable, Sendable {
    package var id: MessageID
    package var content: MessageContent
    /// Since when it can be sent: its acceptance or, if it was scheduled, its release.
    package var sendableSince: Timestamp
    /// After it no attempt starts.
    package var notAfter: Timestamp?
    package var lane: Lane
    /// True if the audience is evaluated page by page while it is sent; the engine then decides when the message ends.
    package var isLive: Bool
    /// The first page that may have pending recipients.
    package var floor: UInt32
    /// Deliveries a second at most, if there is a bound.
    package var pace: UInt32?
    /// True if it was cancelled: the pending recipients end as cancelled.
    package var isCancelled: Bool
    /// How several members send its pages; nil if one sends all of them, and for a server on its own.
    package var share: PageShare?
    /// The broadcast channel that is its only recipient; nil if it is sent to devices.
    package var channel: ChannelAddress?

    /// The queue in which it waits.
    package var queue: OutboxQueue { OutboxQueue(lane: lane, app: content.app) }

    package init(
        id: MessageID, content: MessageContent, sendableSince: Timestamp, notAfter: Timestamp?, lane: Lane,
        isLive: Bool = false, floor: UInt32 = 0, pace: UInt32? = nil, isCancelled: Bool = false,
        share: PageShare? = nil,
        channel: ChannelAddress? = nil
    ) {
        self.id = id
        self.content = content
        self.sendableSince = sendableSince
        self.notAfter = notAfter
        self.lane = lane
        self.isLive = isLive
        self.floor = floor
        self.pace = pace
        self.isCancelled = isCancelled
        self.share = share
        self.channel = channel
    }
}

/// An unfinished message whose record cannot be read: it stays where it is, and the others go on without it.
package struct UnreadableMessage: Hashable, Sendable {
    package var id: MessageID
    /// The reason; safe to show.
    package var reason: String

    package init(id: MessageID, reason: String) {
        self.id = id
        self.reason = reason
    }
}
