/// A request for a new message with the content of an old one, to those of its devices that ended in one of `outcomes`
/// (RESEND, Protocol 10.7).
package struct ResendRequest: Hashable, Sendable {
    package var app: AppID
    /// The old message, which must be finished.
    package var id: MessageID
    /// The idempotency key of the new message; nil for none.
    package var idempotencyKey: UUIDBytes?
    /// The outcomes of the devices to send to, up to 64 in any order; empty selects the outcomes worth retrying.
    package var outcomes: [Outcome]
    /// The time after which no attempt starts; nil for the time of the old message.
    package var notAfter: Timestamp?

    package init(
        app: AppID, id: MessageID, idempotencyKey: UUIDBytes? = nil, outcomes: [Outcome] = [],
        notAfter: Timestamp? = nil
    ) {
        self.app = app
        self.id = id
        self.idempotencyKey = idempotencyKey
        self.outcomes = outcomes
        self.notAfter = notAfter
    }
}
