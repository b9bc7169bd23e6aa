/// Reads of unfinished messages and of their recipients. They show every answered change, may be made on any thread,
/// and may block on the disk.
package protocol OutboxReads: AnyObject, Sendable {
    /// Returns the queues that have unfinished messages.
    func outboxQueues() throws(RegistryError) -> Set<OutboxQueue>

    /// Returns the unfinished messages of a queue, by id, after `message`; looks at no more than `limit`. They are
    /// found without going through other queues.
    func unfinishedMessages(
        in queue: OutboxQueue, after message: MessageID?, limit: Int
    ) throws(RegistryError) -> OutboxPage

    /// Returns the first page at or after `page` that has pending recipients, with the tokens of this moment; nil if no
    /// page has any.
    ///
    /// The pages of a list are fixed at acceptance. Any other audience is evaluated now: the devices that are in it
    /// now, had registered before the acceptance, and have no outcome yet. The recipients of a page are fixed when its
    /// first outcome is on disk.
    func nextPage(of message: MessageID, from page: UInt32) throws(RegistryError) -> RecipientPage?

    /// Reads a page again: the recipients that are still pending. A device that has left the audience since then is
    /// returned with the outcome `left`.
    func pendingRecipients(of message: MessageID, page: UInt32) throws(RegistryError) -> RecipientPage?

    /// Gives a page that was read, or reads it. Call it once, on a thread that may wait for the disk.
    typealias PageRead = @Sendable () throws(RegistryError) -> RecipientPage?

    /// Reads a page on the writer thread, between two slices of the changes that are being applied. Use it while no
    /// snapshot is current; no thread waits for it. If it takes long to find the page, it is read in a snapshot after
    /// the next checkpoint.
    ///
    /// - Parameters:
    ///   - isNext: if true, it reads what `nextPage` would, otherwise what `pendingRecipients` would.
    ///   - completion: called once, on a thread of the registry or the caller's. Must not block, and must not call the
    ///     closure that it gets on that thread.
    func submitPageRead(
        of message: MessageID, page: UInt32, isNext: Bool, completion: @escaping @Sendable (@escaping PageRead) -> Void
    )
}

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

/// An unfinished message whose record cannot be read. It stays in the outbox, and the others go on without it.
package struct UnreadableMessage: Hashable, Sendable {
    package var id: MessageID
    /// The reason why the record cannot be read; safe to show.
    package var reason: String

    package init(id: MessageID, reason: String) {
        self.id = id
        self.reason = reason
    }
}
