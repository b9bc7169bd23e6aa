package import CarillonCore
import CarillonWire

/// The end of a session, and its deadlines.
extension ClientSession {
    /// Ends the session as soon as every request is answered; returns the closure if that is now.
    package mutating func finish() -> Closure? {
        isFinishing = true
        return closureIfDone()
    }

    /// The server, or the network, has ended the connection.
    package mutating func disconnected() -> Closure {
        close(isVersionRefused ? .versionRefused : .disconnected)
    }

    mutating func closureIfDone() -> Closure? {
        guard outstanding.count == abandonedCount, phase != .closed else { return nil }
        if isFinishing { return close(.finished) }
        return isGoingAway ? close(.drained) : nil
    }

    mutating func garbled(_ text: String) -> Closure {
        close(.garbled(WireFault(.malformed, text: text)))
    }

    /// Ends the session. The effect in an error frame is that of the request that it names; that of the others is
    /// unknown (Protocol 9).
    mutating func close(_ reason: Closure.Reason, naming named: UInt64? = nil) -> Closure {
        phase = .closed
        let unanswered = outstanding.filter { !$0.value.isAbandoned }.keys.sorted()
        outstanding = [:]
        abandonedCount = 0
        return Closure(reason: reason, unanswered: unanswered, named: unanswered.contains { $0 == named } ? named : nil)
    }

    // MARK: Time

    /// When the caller calls `timerFired`; nil after the end.
    package var deadline: Uptime? {
        switch phase {
        case .closed: nil
        case .preface, .hello, .auth: startedAt + settings.handshakeMilliseconds
        case .open: min(silenceDeadline, earliestExpiry)
        }
    }

    private var silenceDeadline: Uptime {
        if let ping, ping.sentAt >= readAt { return ping.sentAt + settings.pingMilliseconds }
        guard let helloAnswer, helloAnswer.keepaliveMilliseconds > 0 else { return .max }
        return readAt + UInt64(max(helloAnswer.keepaliveMilliseconds, helloAnswer.pingIntervalMilliseconds))
    }

    /// Runs the timers that are due.
    package mutating func timerFired(at now: Uptime) -> Overdue {
        switch phase {
        case .closed:
            return Overdue()
        case .preface, .hello, .auth:
            return now < startedAt + settings.handshakeMilliseconds
                ? Overdue() : Overdue(closure: close(.handshakeTimeout))
        case .open:
            break
        }
        if now >= silenceDeadline {
            if ping != nil { return Overdue(closure: close(.silence)) }
            writePing(at: now)
        }
        let expired = expire(at: now)
        // The server answers pings and nothing else.
        let isStuck = abandonedCount >= inFlightLimit
        return Overdue(expired: expired, closure: isStuck ? close(.silence) : closureIfDone())
    }

    private mutating func expire(at now: Uptime) -> [UInt64] {
        guard now >= earliestExpiry else { return [] }
        var expired: [UInt64] = []
        earliestExpiry = .max
        for (id, request) in outstanding where !request.isAbandoned {
            guard let deadline = request.deadline else { continue }
            if deadline <= now { expired.append(id) } else { earliestExpiry = min(earliestExpiry, deadline) }
        }
        expired.sort()
        for id in expired { abandon(id) }
        return expired
    }
}
