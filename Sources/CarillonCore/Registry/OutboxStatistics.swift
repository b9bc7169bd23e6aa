/// The messages that are kept, and the free room in the storage.
package struct OutboxStatistics: Hashable, Sendable {
    /// Messages in any state.
    package var messages: Int
    /// Messages that are to be sent now.
    package var toSend: Int
    /// Messages that wait for their time.
    package var scheduled: Int
    /// Bytes of pages that were used once and are free.
    package var freeBytes: Int

    package init(messages: Int, toSend: Int, scheduled: Int, freeBytes: Int) {
        self.messages = messages
        self.toSend = toSend
        self.scheduled = scheduled
        self.freeBytes = freeBytes
    }
}
