package import CarillonCore

/// The answer of a provider to one push: its status and reason, and their meaning (`AnswerMeaning`).
package struct ProviderAnswer: Hashable, Sendable {
    /// The connection's part of the meaning: the action of the connection that received the answer.
    package enum Consequence: Hashable, Sendable {
        case none
        /// Count a failure of the provider itself, or an answer that is not of the provider: a series of these on one
        /// connection ends it.
        case countServerError
        /// Replace the connection, which is of no more use: open another and drain this one.
        case replaceConnection
        /// Replace the connection, which does not know the APNs topic: a new one may know it.
        case replaceConnectionForAPNsTopics
        /// Make a new provider token, because this one is too old, and use it on a new connection.
        case replaceProviderToken
        /// Request another access token, because that of the push is refused; the connection stays.
        case replaceAccessToken
        /// The quota of the credential is used up, for all of its connections. Milliseconds; nil if the answer names
        /// none.
        case slowDown(afterMilliseconds: UInt64?)
        /// The credential is refused: the connection is of no more use. The delivery engine decides whether it was
        /// refused for the push's app, or altogether.
        case refuseCredential
    }

    package var status: UInt16
    /// The provider's reason, of an open set; nil if the body did not name one.
    package var reason: String?
    package var verdict: Verdict
    package var consequence: Consequence
    /// True if the token of the credential is refused as expired, or as renewed too often: again and again, that means
    /// a wrong clock.
    package var refusesProviderToken: Bool

    package init(
        status: UInt16, reason: String? = nil, verdict: Verdict, consequence: Consequence = .none,
        refusesProviderToken: Bool = false
    ) {
        self.status = status
        self.reason = reason
        self.verdict = verdict
        self.consequence = consequence
        self.refusesProviderToken = refusesProviderToken
    }

    package init(status: UInt16, reason: String?, meaning: AnswerMeaning, refusesProviderToken: Bool = false) {
        self.init(
            status: status, reason: reason, verdict: meaning.verdict, consequence: meaning.consequence,
            refusesProviderToken: refusesProviderToken)
    }

    /// Returns the answer of a status that alone says that the push was accepted.
    package static func accepted(_ status: UInt16) -> ProviderAnswer {
        ProviderAnswer(status: status, verdict: .delivered)
    }

    /// Returns true if the status alone says that the push was accepted. Every status from 200 to 299 means so to a
    /// client (RFC 9110, section 15), and a repetition could reach the device twice.
    package static func isAccepted(_ status: UInt16) -> Bool { (200...299).contains(status) }
}
