/// The numbers of the messages that are kept, and the free room in the storage.
package struct OutboxStatistics: Hashable, Sendable {
    /// The number of messages in any state.
    package var messages: Int
    /// The number of messages that are to be sent now.
    package var toSend: Int
    /// The number of messages that wait for their time.
    package var scheduled: Int
    /// The number of bytes of pages that were used once and are free.
    package var freeBytes: Int

    package init(messages: Int, toSend: Int, scheduled: Int, freeBytes: Int) {
        self.messages = messages
        self.toSend = toSend
        self.scheduled = scheduled
        self.freeBytes = freeBytes
    }
}
