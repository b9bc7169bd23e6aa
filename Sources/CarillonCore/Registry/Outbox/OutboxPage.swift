/// Some unfinished messages of a queue.
package struct OutboxPage: Hashable, Sendable {
    /// The entries, ascending by id.
    package var entries: [OutboxEntry]
    /// The messages between them that cannot be read.
    package var unreadable: [UnreadableMessage]
    /// The last message that was read, even if it is unreadable; nil if no message was read.
    package var last: MessageID?
    /// True if no message follows.
    package var isEnd: Bool

    package init(
        entries: [OutboxEntry] = [], unreadable: [UnreadableMessage] = [], last: MessageID? = nil, isEnd: Bool
    ) {
        self.entries = entries
        self.unreadable = unreadable
        self.last = last
        self.isEnd = isEnd
    }
}
