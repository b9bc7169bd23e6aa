package import CarillonCore
import CarillonWire

/// The deadlines of a session: the handshake, slow frames, silence and draining.
extension ServerSession {
    /// The time at which the caller is to call `timerFired`; nil after the end, and while nothing has a deadline.
    package var deadline: Uptime? {
        var earliest = frameDeadline ?? .max
        switch phase {
        case .closed: return nil
        // The transport has a timeout of its own.
        case .transport: break
        case .preface, .hello, .auth: earliest = min(earliest, handshakeDeadline)
        // While the session itself stops the reading, the client's silence means nothing.
        case .open: if mayRead { earliest = min(earliest, silenceDeadline) }
        }
        switch drain {
        case .none: break
        case .noticed(let since): earliest = min(earliest, since + limits.drainNoticeMilliseconds)
        case .closing(let since): earliest = min(earliest, since + UInt64(limits.drainMilliseconds))
        }
        return earliest == .max ? nil : earliest
    }

    private var handshakeDeadline: Uptime { startedAt + limits.handshakeMilliseconds }

    private var silenceDeadline: Uptime {
        if let pingedAt { return pingedAt + limits.pingMilliseconds }
        return readAt + UInt64(limits.keepaliveMilliseconds)
    }

    private var frameDeadline: Uptime? {
        // While the session itself stops the reading, a slow frame is no fault of the client.
        guard let incompleteFrame, mayRead else { return nil }
        return incompleteFrame.startedAt + limits.frameMilliseconds + incompleteFrame.bytes / 4_096 * 1_000
    }

    /// Restarts the times of the incomplete frame and of the client's silence, because the caller reads again after a
    /// pause that had a reason of its own.
    package mutating func readingResumed(at now: Uptime) {
        if let incompleteFrame { self.incompleteFrame = (now, incompleteFrame.bytes) }
        readAt = now
        pingedAt = nil
    }

    /// Runs the timers that are due; the caller sends `output`, and closes if `isClosed`.
    package mutating func timerFired(at now: Uptime) {
        if let frameDeadline, now >= frameDeadline {
            _ = close(.timeout, "a frame did not come to its end", retry: 0)
            return
        }
        switch phase {
        case .closed: return
        case .transport: break
        // No preface was seen: the peer may speak another protocol.
        case .preface: if now >= handshakeDeadline { phase = .closed }
        case .hello, .auth:
            if now >= handshakeDeadline { _ = close(.timeout, "the handshake took too long", retry: 0) }
        case .open: silenceTimerFired(at: now)
        }
        switch drain {
        case .none: break
        case .noticed(let since):
            if now >= since + limits.drainNoticeMilliseconds, phase == .open { finishDraining(since: since, at: now) }
        case .closing(let since):
            if now >= since + UInt64(limits.drainMilliseconds) { phase = .closed }
        }
    }

    private mutating func silenceTimerFired(at now: Uptime) {
        guard mayRead, now >= silenceDeadline else { return }
        if pingedAt != nil {
            _ = close(.timeout, "no answer to a ping", retry: 0)
        } else {
            output.ping(Ping(isAcknowledgement: false, payload: now.milliseconds))
            pingedAt = now
        }
    }
}
