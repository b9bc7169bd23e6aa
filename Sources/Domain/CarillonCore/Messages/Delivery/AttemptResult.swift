/// The result that a connection gives back with a delivery: the attempt, the verdict on it, and status and reason for
/// TRACE.
package struct AttemptResult: Sendable {
    package let attempt: Attempt
    package let verdict: Verdict
    /// The HTTP status of the provider; 0 if there was no answer.
    package let status: UInt16
    /// The number of the connection that carried the attempt; 0 if it was not written.
    package let connection: UInt32
    private let texts: Texts?

    /// The texts of an answer. Nearly all answers have none, so that a result has one reference for both.
    private final class Texts: Sendable {
        let reason: String?
        let uniqueID: String?

        init(reason: String?, uniqueID: String?) {
            self.reason = reason
            self.uniqueID = uniqueID
        }
    }

    /// The provider's reason, or the server's own word for an end without an answer; nil if an answer gave none.
    package var reason: String? { texts?.reason }
    /// The `apns-unique-id` of the push; nil if the answer had none.
    package var uniqueID: String? { texts?.uniqueID }

    /// Makes a result; by default, of an attempt that was not written and has no answer.
    package init(
        _ attempt: Attempt, verdict: Verdict, status: UInt16 = 0, reason: String? = nil, connection: UInt32 = 0,
        uniqueID: String? = nil
    ) {
        self.attempt = attempt
        self.verdict = verdict
        self.status = status
        self.connection = connection
        texts = reason == nil && uniqueID == nil ? nil : Texts(reason: reason, uniqueID: uniqueID)
    }
}
