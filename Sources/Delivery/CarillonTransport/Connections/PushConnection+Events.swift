import CarillonCore
import CarillonFCM
import CarillonHTTP2
import CarillonProvider
import Logging

/// The events of HTTP/2 other than a well-formed answer 200, and the connection's reaction to them. A push that APNs or
/// FCM delivers does not come here. A push that is delivered to a browser does, because push services answer 201.
extension PushConnection {
    /// Handles an event of the whole connection.
    ///
    /// - Parameter debugData: what the peer says with a GOAWAY.
    func handle(_ event: ClientEvent, debugData: UnsafeRawBufferPointer, at now: Moment) {
        switch event {
        case .settings(let settings):
            if machine.state == .awaitingSettings { reporter.send(.settingsReceived) }
            machine.settingsReceived(maxConcurrentStreams: settings.maxConcurrentStreams, at: now.uptime)
            reporter.streamsChanged(to: machine.streamAllowance(openStreams: 0))
        case .goAway(let goAway):
            goAwayReceived(goAway, debugData: debugData, at: now)
        case .pingAcknowledged:
            machine.pingAcknowledged(at: now.uptime)
        case .settingsAcknowledged, .streamClosed, .answerField:
            break
        }
    }

    /// Draws the consequences of an end other than a well-formed answer 200. It may be a delivery: push services of
    /// browsers answer 201.
    ///
    /// - Parameters:
    ///   - unanswered: the number of pushes that waited for an answer, this one included.
    ///   - handedOutAt: when the push was handed out.
    func attemptEnded(_ end: AttemptEnd, among unanswered: Int, handedOutAt: Uptime, at now: Moment) {
        switch end {
        case .answered(let answer):
            if case .slowDown(let delay) = answer.consequence {
                log("the quota of the project is used up", metadata: ["reason": "\(end.reason ?? "none")"])
                target.quota?.exceeded(retryAfterMilliseconds: delay, handedOutAt: handedOutAt, at: now.uptime)
            }
            answered(answer, at: now)
        case .cutOff, .malformed, .reset, .timeout:
            guard machine.streamEndedUnanswered(among: unanswered, at: now.uptime) == .drain else { break }
            log("connection is replaced: \(provider) answers nothing", metadata: ["reason": "\(end.reason ?? "none")"])
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
        if answer.consequence == .replaceProviderToken { target.providerTokenExpired(at: now) }
        if machine.pushAnswered(answer, at: now.uptime) == .drain {
            log("connection is replaced", metadata: ["reason": "\(reason)"], level: .info)
            if answer.refusesProviderToken { reporter.send(.providerTokenRefused(reason: reason)) }
            retire(.ended)
        }
        if answer.consequence != .countServerError { openedIfReady() }
    }

    private func goAwayReceived(_ goAway: HTTP2GoAway, debugData: UnsafeRawBufferPointer, at now: Moment) {
        let (reason, refusesCredential) = target.adapter.goAway(debugData: debugData)
        log(
            "\(provider) sent GOAWAY",
            metadata: [
                "code": "\(goAway.errorCode)", "last_stream": "\(goAway.lastStreamID)", "reason": "\(reason ?? "none")",
            ], level: goAway.errorCode == .noError ? .info : .warning)
        if let reason, refusesCredential { reporter.send(.credentialRefused(reason: reason)) }
        machine.goAwayReceived(isError: goAway.errorCode != .noError, at: now.uptime)
        retire(goAway.errorCode == .enhanceYourCalm ? .askedForLessLoad : .ended)
    }
}
