/// Some unfinished messages of a queue.
package struct OutboxPage: Hashable, Sendable {
    /// The messages, ascending by id.
    package var messages: [OutboundMessage]
    /// The messages between them that cannot be read.
    package var unreadable: [UnreadableMessage]
    /// The last message that was read, even if it is unreadable; nil if no message was read.
    package var last: MessageID?
    /// True if no message follows.
    package var isEnd: Bool

    package init(
        messages: [OutboundMessage] = [], unreadable: [UnreadableMessage] = [], last: MessageID? = nil, isEnd: Bool
    ) {
        self.messages = messages
        self.unreadable = unreadable
        self.last = last
        self.isEnd = isEnd
    }
}
