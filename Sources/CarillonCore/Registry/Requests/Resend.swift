/// A new message with the content of an old one, to those of its devices that ended in one of `outcomes` (RESEND,
/// Protocol 8.7).
package struct Resend: Hashable, Sendable {
    package var app: AppID
    /// The old message, which must be finished.
    package var message: MessageID
    /// The idempotency key of the new message; zero is none.
    package var key: UUIDBytes
    /// The outcomes of the devices to send to; empty selects the outcomes worth retrying.
    package var outcomes: Set<Outcome>
    /// After it no attempt starts; nil if the time of the old message holds.
    package var notAfter: Timestamp?

    /// Makes a resend.
    package init(
        app: AppID, message: MessageID, key: UUIDBytes = .zero, outcomes: Set<Outcome> = [], notAfter: Timestamp? = nil
    ) {
        self.app = app
        self.message = message
        self.key = key
        self.outcomes = outcomes
        self.notAfter = notAfter
    }
}
