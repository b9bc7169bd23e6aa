package import CarillonCore
import CarillonWire

/// Ends a session, and says its deadlines.
extension ClientSession {
    /// Ends the session as soon as every request is answered or abandoned; returns the end if that is now.
    package mutating func closeWhenAnswered() -> SessionEnd? {
        state.closingRequested()
        return closeIfDone()
    }

    /// Stops taking requests, as after GOAWAY; returns the end if every request is answered or abandoned.
    package mutating func drain() -> SessionEnd? {
        state.drainingBegan()
        return closeIfDone()
    }

    /// Ends the session because the server, or the network, has ended the connection.
    package mutating func connectionClosed() -> SessionEnd {
        close(state.isVersionRefused ? .versionRefused : .disconnected)
    }

    /// Ends a session that begins no more requests, once every request is answered or abandoned; returns nil if it goes
    /// on.
    mutating func closeIfDone() -> SessionEnd? {
        guard requests.areAllAbandoned, state.phase != .closed else { return nil }
        if state.isFinishing { return close(.finished) }
        return state.isGoingAway ? close(.drained) : nil
    }

    /// Ends the session because the server has sent bytes that cannot be read.
    mutating func garbled(_ text: String) -> SessionEnd {
        close(.garbled(WireError(.malformed, text: text)))
    }

    /// Ends the session. The effect in an error frame belongs to the request that it names; the effect of the others is
    /// unknown (Protocol 15).
    mutating func close(_ reason: SessionEnd.Reason, naming named: UInt64? = nil) -> SessionEnd {
        state.close()
        let unanswered = requests.removeAll()
        return SessionEnd(
            reason: reason, unanswered: unanswered, named: unanswered.contains { $0 == named } ? named : nil)
    }

    // MARK: Time

    /// The time at which the caller calls `timerFired`; nil after the end.
    package var deadline: Uptime? {
        switch state.phase {
        case .closed: nil
        case .preface, .hello, .auth: startedAt + options.handshakeTimeoutMilliseconds
        case .open: min(pingDeadline, stuckDeadline, requests.earliestExpiry)
        }
    }

    /// The time at which a ping must be sent, or the server must have answered one.
    private var pingDeadline: Uptime {
        if let sentAt = pings.sentAt { return sentAt + options.pingTimeoutMilliseconds }
        guard let helloAnswer else { return .max }
        let interval = UInt64(helloAnswer.limits.pingIntervalMilliseconds)
        var due = Uptime.max
        if helloAnswer.limits.keepaliveMilliseconds > 0 {
            due = pings.readAt + max(UInt64(helloAnswer.limits.keepaliveMilliseconds), interval)
        }
        // The silence counts from the last byte, or from the time at which requests began to wait, if that is later.
        if !requests.isEmpty {
            due = min(due, max(pings.readAt, requests.waitingSince) + options.probeAfterMilliseconds)
        }
        if let lastPingAt = pings.lastAt { due = max(due, lastPingAt + interval) }
        return due
    }

    /// The time at which the session ends if abandoned requests still occupy all room.
    private var stuckDeadline: Uptime { requests.stuckSince.map { $0 + options.pingTimeoutMilliseconds } ?? .max }

    package mutating func timerFired(at now: Uptime) -> TimerResult {
        switch state.phase {
        case .closed:
            return TimerResult()
        case .preface, .hello, .auth:
            return now < startedAt + options.handshakeTimeoutMilliseconds
                ? TimerResult() : TimerResult(sessionEnd: close(.handshakeTimeout))
        case .open:
            break
        }
        // The server may answer pings, but it answers none of the abandoned requests, which occupy all room.
        if now >= stuckDeadline { return TimerResult(sessionEnd: close(.silence)) }
        if now >= pingDeadline {
            if pings.isServerSilent { return TimerResult(sessionEnd: close(.silence)) }
            // Bytes came, but not the answer to the ping. They show that the server is there, so the ping is forgotten,
            // and another one is sent when it is due.
            pings.forget()
            if now >= pingDeadline { writePing(at: now) }
        }
        return TimerResult(expired: requests.expire(limit: inFlightLimit, at: now), sessionEnd: closeIfDone())
    }
}
