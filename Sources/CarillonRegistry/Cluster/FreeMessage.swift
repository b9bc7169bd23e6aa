package import CarillonCore

/// A message of the outbox that a node may claim.
package struct FreeMessage: Hashable, Sendable {
    /// The message.
    package var id: MessageID
    /// The entry of the message, with how it is shared; nil if one member sends it as a whole.
    package var shared: OutboxEntry?
    /// The number of pages of a shared message that no live member holds.
    package var left: UInt32

    package init(id: MessageID, shared: OutboxEntry? = nil, left: UInt32 = 0) {
        (self.id, self.shared, self.left) = (id, shared, left)
    }
}
