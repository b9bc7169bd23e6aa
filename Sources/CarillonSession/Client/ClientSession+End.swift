package import CarillonCore
import CarillonWire

/// The end of a session, and its deadlines.
extension ClientSession {
    /// Ends the session as soon as every request is answered; returns the end if that is now.
    package mutating func finish() -> SessionEnd? {
        isFinishing = true
        return closeIfDone()
    }

    /// Stops taking requests, as after GOAWAY; returns the end if every request is answered.
    package mutating func drain() -> SessionEnd? {
        isGoingAway = true
        return closeIfDone()
    }

    /// Ends the session because the server, or the network, has ended the connection.
    package mutating func connectionClosed() -> SessionEnd {
        close(isVersionRefused ? .versionRefused : .disconnected)
    }

    /// Ends a session that begins no more requests, once every request is answered; returns nil if it goes on.
    mutating func closeIfDone() -> SessionEnd? {
        guard outstanding.count == abandonedCount, phase != .closed else { return nil }
        if isFinishing { return close(.finished) }
        return isGoingAway ? close(.drained) : nil
    }

    /// Ends the session because the server has sent bytes that cannot be read.
    mutating func garbled(_ text: String) -> SessionEnd {
        close(.garbled(WireError(.malformed, text: text)))
    }

    /// Ends the session. The effect in an error frame belongs to the request that it names; the effect of the others is
    /// unknown (Protocol 9).
    mutating func close(_ reason: SessionEnd.Reason, naming named: UInt64? = nil) -> SessionEnd {
        phase = .closed
        let unanswered = outstanding.elements.filter { !$0.value.isAbandoned }.map(\.id)
        outstanding = AscendingTable()
        abandonedCount = 0
        return SessionEnd(
            reason: reason, unanswered: unanswered, named: unanswered.contains { $0 == named } ? named : nil)
    }

    // MARK: Time

    /// The time at which the caller calls `timerFired`; nil after the end.
    package var deadline: Uptime? {
        switch phase {
        case .closed: nil
        case .preface, .hello, .auth: startedAt + options.handshakeMilliseconds
        case .open: min(pingDeadline, stuckDeadline, earliestExpiry)
        }
    }

    /// The time at which a ping must be sent, or the server must have answered one.
    private var pingDeadline: Uptime {
        if let ping { return ping.sentAt + options.pingMilliseconds }
        guard let helloAnswer else { return .max }
        let interval = UInt64(helloAnswer.pingIntervalMilliseconds)
        var due = Uptime.max
        if helloAnswer.keepaliveMilliseconds > 0 {
            due = readAt + max(UInt64(helloAnswer.keepaliveMilliseconds), interval)
        }
        // The time of the oldest request that counts: it was sent before the last byte came, or when nothing else
        // waited.
        if !outstanding.isEmpty { due = min(due, max(readAt, waitingSince) + options.probeMilliseconds) }
        if let lastPingAt { due = max(due, lastPingAt + interval) }
        return due
    }

    private var stuckDeadline: Uptime { stuckSince.map { $0 + options.pingMilliseconds } ?? .max }

    /// Runs the timers that are due.
    package mutating func timerFired(at now: Uptime) -> Overdue {
        switch phase {
        case .closed:
            return Overdue()
        case .preface, .hello, .auth:
            return now < startedAt + options.handshakeMilliseconds
                ? Overdue() : Overdue(sessionEnd: close(.handshakeTimeout))
        case .open:
            break
        }
        // The server answers pings and nothing else.
        if now >= stuckDeadline { return Overdue(sessionEnd: close(.silence)) }
        if now >= pingDeadline {
            if let ping, readAt <= ping.sentAt { return Overdue(sessionEnd: close(.silence)) }
            // Bytes came that are not the answer to the ping. Another ping is due when nothing comes any more.
            ping = nil
            if now >= pingDeadline { writePing(at: now) }
        }
        return Overdue(expired: expire(at: now), sessionEnd: closeIfDone())
    }

    private mutating func expire(at now: Uptime) -> [UInt64] {
        guard now >= earliestExpiry else { return [] }
        var expired: [UInt64] = []
        earliestExpiry = .max
        for (id, request) in outstanding.elements where !request.isAbandoned {
            guard let deadline = request.deadline else { continue }
            if deadline <= now { expired.append(id) } else { earliestExpiry = min(earliestExpiry, deadline) }
        }
        for id in expired { abandon(id, at: now) }
        return expired
    }
}
