/// A message that is being sent; all its deliveries share this object.
package final class OutboundMessage: Sendable {
    package let id: MessageID
    package let content: MessageContent
    package let lane: Lane
    /// The broadcast channel that the message is sent to; nil if it is sent to devices.
    package var channel: ChannelAddress? { entry.channel }
    /// The outbox entry from which the message was made.
    package let entry: OutboxEntry

    package init(_ entry: OutboxEntry) {
        self.entry = entry
        id = entry.id
        content = entry.content
        lane = entry.queue.lane
    }
}
