import CarillonCore
import CarillonFCM
import CarillonHTTP2
import CarillonProvider

/// Judges the ends of streams on one connection. It remembers whether the credential was refused there.
struct AnswerJudge {
    private let target: PoolTarget
    /// True if the provider has refused the credential on this connection. Its later answers may be consequences of
    /// that.
    private var hasRefusedCredential = false

    init(_ target: PoolTarget) {
        self.target = target
    }

    /// Returns the end of an attempt, from the end of the stream that carried it, and remembers a refused credential.
    /// Not called for a well-formed answer 200, whose meaning is known without its body.
    ///
    /// - Parameters:
    ///   - errorDescription: the header `x-wns-error-description`; nil if the answer has none.
    ///   - body: the received part of the answer's body.
    mutating func judge(
        _ ended: InFlightTable.EndedAttempt, stream: StreamEnd, errorDescription: String? = nil,
        body: UnsafeRawBufferPointer, at now: Moment
    ) -> AttemptEnd {
        let stream = ClosedStream(
            status: stream.status, isComplete: stream.isComplete, isMalformed: stream.isMalformed,
            wasSent: stream.wasSent, wasOverdue: ended.wasOverdue, errorCode: stream.errorCode.rawValue,
            retryAfterMilliseconds: stream.retryAfter?.milliseconds(atWallMilliseconds: now.wall.milliseconds),
            errorDescription: errorDescription)
        let end = AttemptEnd(stream, body: body, of: target.adapter, at: now.wall)
        guard case .answered(let answer) = end else { return end }
        return .answered(judgeCredential(by: answer, handedOutAt: ended.attempt.handedOutAt, at: now))
    }

    /// Only the first refusal of the credential on this connection counts as one. For example, 100 pushes are in flight
    /// when the provider stops accepting the token, and it refuses all of them. That is one fact, not a hundred: the
    /// other 99 pushes count as not processed, and are sent again.
    private mutating func judgeCredential(
        by answer: ProviderAnswer, handedOutAt: Uptime, at now: Moment
    ) -> ProviderAnswer {
        var answer = answer
        if answer.consequence == .replaceAccessToken,
            target.accessTokens?.tokenRefused(handedOutAt: handedOutAt, at: now) == .refuseCredential
        {
            answer.verdict = .credentialRefused
            answer.consequence = .refuseCredential
        }
        guard answer.verdict == .credentialRefused else { return answer }
        if hasRefusedCredential { answer.verdict = .notProcessed }
        hasRefusedCredential = true
        return answer
    }
}
