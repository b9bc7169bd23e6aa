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
