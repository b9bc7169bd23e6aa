import CarillonCore
import CarillonFCM
import CarillonHTTP2
import CarillonProvider
import Logging

/// The events of HTTP/2 other than a good answer 200, and the connection's reaction to them. A push that APNs or FCM
/// delivers does not come here. A push that is delivered to a browser does, because push services answer 201.
extension PushConnection {
    /// Handles an event other than the end of a stream; `bytes` are its debug data.
    func handle(_ event: ClientEvent, _ bytes: UnsafeRawBufferPointer, at now: Moment) {
        switch event {
        case .settings(let settings):
            if machine.state == .awaitingSettings { observer.settingsReceived() }
            machine.settingsReceived(
                maxConcurrentStreams: settings.maxConcurrentStreams,
                at: now.uptime
            )
            streamLimitChanged()
        case .goAway(let goAway):
            goAwayReceived(goAway, bytes, at: now)
        case .pingAcknowledged:
            machine.pingAcknowledged(at: now.uptime)
        case .settingsAcknowledged, .streamClosed, .answerField:
            break
        }
    }

    /// Returns the meaning of a stream's end for the attempt that the stream carried; for an end other than a good
    /// answer 200.
    ///
    /// - Parameter body: the received part of the answer's body.
    func attemptEnd(
        of stream: StreamEnd, body: UnsafeRawBufferPointer, wasOverdue: Bool, at now: Moment
    ) -> AttemptEnd {
        let stream = ClosedStream(
            status: stream.status, isComplete: stream.isComplete, isMalformed: stream.isMalformed,
            wasSent: stream.wasSent, wasOverdue: wasOverdue, errorCode: stream.errorCode.rawValue,
            retryAfterMilliseconds: stream.retryAfter?.milliseconds(at: now.wall.milliseconds))
        return AttemptEnd(stream, body: body, of: upstream.adapter, at: now.wall)
    }

    /// Remembers that the provider has refused the credential on this connection. Only the first refusal counts as one.
    /// The pushes that were on their way may have been refused because of it, and count as not processed.
    ///
    /// - Parameter handedOutAt: when the push was handed out.
    func noteRefusal(_ end: inout AttemptEnd, handedOutAt: Uptime, at now: Moment) {
        guard case .answered(var answer) = end else { return }
        if answer.consequence == .replaceToken,
            upstream.accessTokens?.tokenRefused(handedOutAt: handedOutAt, at: now) == .refuseCredential
        {
            (answer.verdict, answer.consequence) = (.credentialRefused, .refuseCredential)
        }
        guard answer.verdict == .credentialRefused else { return }
        if hasRefusedCredential { answer.verdict = .notProcessed }
        hasRefusedCredential = true
        end = .answered(answer)
    }

    /// Draws the consequences of an end other than a good answer 200. It may be a delivery: push services of browsers
    /// answer 201.
    ///
    /// - Parameters:
    ///   - open: the number of streams that were open, including the attempt's.
    ///   - handedOutAt: when the push was handed out.
    func attemptEnded(_ end: AttemptEnd, open: Int, handedOutAt: Uptime, at now: Moment) {
        switch end {
        case .answered(let answer):
            if case .slowDown(let delay) = answer.consequence {
                log.write("the quota of the project is used up", ["reason": "\(end.reason ?? "none")"], to: logger)
                upstream.quota?.exceeded(retryAfterMilliseconds: delay, sentAt: handedOutAt, at: now.uptime)
            }
            answered(answer, at: now)
        case .cutOff, .malformed, .reset, .timeout:
            guard machine.streamEndedUnanswered(open: open, at: now.uptime) == .drain else { break }
            log.write(
                "connection is replaced: \(provider) answers nothing", ["reason": "\(end.reason ?? "none")"],
                to: logger)
            retire(.ended)
        case .connectionClosed, .notSent, .invalidRequest, .tokenNotSigned, .accessTokenRefused: break
        }
    }

    private func answered(_ answer: ProviderAnswer, at now: Moment) {
        metrics.countAnswer(answer)
        if answer.verdict != .delivered {
            logger.debug(
                "\(provider) did not deliver a push",
                metadata: ["status": "\(answer.status)", "reason": "\(answer.reason ?? "none")"]
            )
        }
        let reason = answer.reason ?? "\(answer.status)"
        if answer.consequence == .renewToken { upstream.providerTokenExpired(at: now) }
        if machine.pushAnswered(answer, at: now.uptime) == .drain {
            log.write("connection is replaced", ["reason": "\(reason)"], level: .info, to: logger)
            if answer.refusesProviderToken { observer.tokenRefused(reason) }
            retire(.ended)
        }
        if answer.consequence != .serverError { openedIfReady() }
    }

    private func goAwayReceived(_ goAway: HTTP2GoAway, _ debugData: UnsafeRawBufferPointer, at now: Moment) {
        let (reason, refusesCredential) = upstream.adapter.goAway(debugData: debugData)
        log.write(
            "\(provider) sent GOAWAY",
            [
                "code": "\(goAway.errorCode)", "last_stream": "\(goAway.lastStreamID)", "reason": "\(reason ?? "none")",
            ], level: goAway.errorCode == .noError ? .info : .warning, to: logger)
        if let reason, refusesCredential { observer.credentialRefused(reason) }
        if goAway.errorCode == .noError { endsForOtherReason = true }
        machine.drainingBegan(at: now.uptime)
        retire(goAway.errorCode == .enhanceYourCalm ? .asked : .ended)
    }
}
