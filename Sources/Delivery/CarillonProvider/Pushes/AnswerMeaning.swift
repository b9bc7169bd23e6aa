package import CarillonCore

/// The meaning of an answer, as a row of an adapter's table: a verdict for the delivery, and a consequence for the
/// connection.
package struct AnswerMeaning: Hashable, Sendable {
    package let verdict: Verdict
    package let consequence: ProviderAnswer.Consequence

    private init(_ verdict: Verdict, _ consequence: ProviderAnswer.Consequence) {
        self.verdict = verdict
        self.consequence = consequence
    }

    /// The credential is refused, not the push.
    package static let credentialRefused = AnswerMeaning(.credentialRefused, .refuseCredential)

    /// Returns the meaning of a refusal that is final.
    ///
    /// - Parameter deadSince: the time since which the token is dead; nil if the refusal does not say that it is.
    package static func refused(
        _ outcome: Outcome, deadSince: Timestamp? = nil, then consequence: ProviderAnswer.Consequence = .none
    ) -> AnswerMeaning {
        AnswerMeaning(.refused(outcome, deadSince: deadSince), consequence)
    }

    /// Returns the meaning of an answer to a push that was certainly not processed.
    package static func notProcessed(then consequence: ProviderAnswer.Consequence) -> AnswerMeaning {
        AnswerMeaning(.notProcessed, consequence)
    }

    /// Returns the meaning of an answer to a push that cannot be accepted now.
    ///
    /// - Parameter delayMilliseconds: the delay that the answer asks for; nil if it names none.
    package static func tryLater(
        _ reason: Verdict.TryLater, afterMilliseconds delayMilliseconds: UInt64?,
        then consequence: ProviderAnswer.Consequence = .none
    ) -> AnswerMeaning {
        AnswerMeaning(.tryLater(reason, afterMilliseconds: delayMilliseconds), consequence)
    }
}
