package import CarillonCore
import CarillonWire

/// The deadlines of a session: the handshake, slow frames, silence and draining.
extension ServerSession {
    /// The time at which the caller is to call `timerFired`; nil after the end, and while nothing has a deadline.
    package var deadline: Uptime? {
        var earliest = frameDeadline ?? .max
        switch state.phase {
        case .closed: return nil
        // The transport has a timeout of its own.
        case .transport: break
        case .preface, .hello, .auth: earliest = min(earliest, timers.handshakeDeadline)
        // While the session itself stops the reading, the client's silence means nothing.
        case .open: if mayRead { earliest = min(earliest, timers.silenceDeadline) }
        }
        switch state.drain {
        case .none: break
        case .noticed(let since): earliest = min(earliest, since + limits.drainNoticeMilliseconds)
        case .closing(let since): earliest = min(earliest, since + UInt64(limits.drainTimeoutMilliseconds))
        }
        return earliest == .max ? nil : earliest
    }

    private var frameDeadline: Uptime? {
        // While the session itself stops the reading, a slow frame is no fault of the client.
        mayRead ? timers.frameDeadline : nil
    }

    /// Restarts the timers of the incomplete frame and of the client's silence. Called when the caller reads again
    /// after it stopped for its own reasons.
    package mutating func readingResumed(at now: Uptime) {
        timers.readingResumed(at: now)
    }

    /// Runs the timers that are due; the caller sends `output`, and closes if `isClosed`.
    package mutating func timerFired(at now: Uptime) {
        if let frameDeadline, now >= frameDeadline {
            _ = close(.timeout, because: "a frame did not come to its end", retryMilliseconds: 0)
            return
        }
        switch state.phase {
        case .closed: return
        case .transport: break
        // No preface was seen: the peer may speak another protocol.
        case .preface: if now >= timers.handshakeDeadline { state.close() }
        case .hello, .auth:
            if now >= timers.handshakeDeadline {
                _ = close(.timeout, because: "the handshake took too long", retryMilliseconds: 0)
            }
        case .open: silenceTimerFired(at: now)
        }
        switch state.drain {
        case .none: break
        case .noticed(let since):
            if now >= since + limits.drainNoticeMilliseconds, state.phase == .open {
                finishDraining(since: since, at: now)
            }
        case .closing(let since):
            if now >= since + UInt64(limits.drainTimeoutMilliseconds) { state.close() }
        }
    }

    private mutating func silenceTimerFired(at now: Uptime) {
        guard mayRead, now >= timers.silenceDeadline else { return }
        if timers.isPinging {
            _ = close(.timeout, because: "no answer to a ping", retryMilliseconds: 0)
        } else {
            output.ping(Ping(isAcknowledgement: false, payload: now.milliseconds))
            timers.pingSent(at: now)
        }
    }
}
