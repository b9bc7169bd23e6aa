import CarillonAPNs
import CarillonCore
import CarillonHTTP2
import Logging

// The meaning of HTTP/2 events other than a delivered push. None of this is on the path of a push that goes well.
extension APNsConnection {
    /// Handles an event other than the end of a stream; `bytes` are its debug data.
    func handle(_ event: ClientEvent, _ bytes: UnsafeRawBufferPointer, at now: Moment) {
        switch event {
        case .settings(let settings):
            if machine.state == .greeting { observer.greeted() }
            machine.settingsReceived(
                maxConcurrentStreams: settings.maxConcurrentStreams,
                at: now.uptimeMilliseconds
            )
            streamLimitChanged()
        case .goAway(let goAway):
            goAwayReceived(goAway, bytes, at: now)
        case .pingAcknowledged:
            machine.pingAcknowledged(at: now.uptimeMilliseconds)
        case .settingsAcknowledged, .streamClosed:
            break
        }
    }

    /// Returns how an attempt ended whose stream ended without the status 200.
    func attemptEnd(
        _ end: StreamEnd, _ body: UnsafeRawBufferPointer, wasOverdue: Bool, at now: Moment
    ) -> AttemptEnd {
        if end.status != 0 {
            return .answered(Answer(status: end.status, body: body, retryAfter: nil, now: now.wall))
        }
        guard end.wasSent else { return .notSent }
        return wasOverdue && end.errorCode != .refusedStream ? .timeout : .reset(end.errorCode)
    }

    /// Draws the consequences of an attempt that was not delivered.
    ///
    /// - Parameter open: streams that were open, that of the attempt included.
    func attemptFailed(_ end: AttemptEnd, open: Int, at now: Moment) {
        switch end {
        case .answered(let answer): answered(answer, at: now)
        case .reset, .timeout:
            guard machine.streamEndedUnanswered(open: open, at: now.uptimeMilliseconds) == .drain else { break }
            logger.warning(
                "connection is replaced: APNs answers nothing", metadata: ["reason": "\(end.reason ?? "none")"])
            retire()
        case .connectionClosed, .notSent, .invalidRequest, .tokenNotSigned: break
        }
    }

    private func answered(_ answer: Answer, at now: Moment) {
        metrics.countAnswer(answer)
        logger.debug(
            "APNs refused a push",
            metadata: ["status": "\(answer.status)", "reason": "\(answer.reason ?? "none")"]
        )
        if answer.consequence == .renewToken { upstream.providerTokenExpired(at: now) }
        if answer.consequence == .stopCredential { observer.credentialRefused(answer.reason ?? "\(answer.status)") }
        if machine.answered(answer, at: now.uptimeMilliseconds) == .drain {
            logger.info("connection is replaced", metadata: ["reason": "\(answer.reason ?? "\(answer.status)")"])
            retire()
        }
        if answer.consequence != .serverError { openedIfReady() }
    }

    private func goAwayReceived(_ goAway: GoAway, _ debugData: UnsafeRawBufferPointer, at now: Moment) {
        let reason = Answer.parse(debugData).reason
        logger.info(
            "APNs sent GOAWAY",
            metadata: [
                "code": "\(goAway.errorCode)", "last-stream": "\(goAway.lastStreamID)", "reason": "\(reason ?? "none")",
            ]
        )
        if reason == "BadCertificate" || reason == "BadCertificateEnvironment" {
            observer.credentialRefused(reason ?? "")
        }
        if goAway.errorCode == .noError { endsForOtherReason = true }
        machine.drainingBegan(at: now.uptimeMilliseconds)
        retire()
    }
}
