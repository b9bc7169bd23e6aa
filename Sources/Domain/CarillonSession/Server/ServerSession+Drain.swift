package import CarillonCore
import CarillonWire

/// Ends a connection: the client closes it, the server stops in order (Protocol 6.4), or the client's rights change.
extension ServerSession {
    /// Ends the input, because the client has closed its sending direction. Outstanding requests are still answered.
    package mutating func inputClosed() {
        state.inputClosed()
        closeIfDone()
    }

    /// Begins an orderly stop with the first GOAWAY; a second call is ignored.
    ///
    /// - Parameter reconnectAfterMilliseconds: how long the client should wait; the caller spreads the times.
    package mutating func beginDraining(at now: Uptime, reconnectAfterMilliseconds: UInt32) {
        beginDraining(at: now, reconnectAfterMilliseconds: reconnectAfterMilliseconds, reason: "the server is stopping")
    }

    /// Changes the client's rights. They hold from the next request on, and an orderly stop begins, so that the client
    /// connects again and learns them.
    ///
    /// - Parameters:
    ///   - principal: the client with its new rights; nil if its API key or certificate is no longer good, and then no
    ///     more requests are executed.
    ///   - reconnectAfterMilliseconds: how long the client should wait; the caller spreads the times.
    package mutating func principalChanged(to principal: Principal?, at now: Uptime, reconnectAfterMilliseconds: UInt32)
    {
        guard state.phase == .open else {
            client.principalChanged(to: principal)
            return
        }
        if let principal {
            client.principalChanged(to: principal)
            let reason = "what this client may do has changed"
            return beginDraining(at: now, reconnectAfterMilliseconds: reconnectAfterMilliseconds, reason: reason)
        }
        guard !state.refusesRequests else { return }
        state.refuseRequests(since: now)
        let reason = "the API key or certificate is not good any more"
        output.goAway(
            makeGoAway(
                lastID: requests.lastID, reconnectAfterMilliseconds: reconnectAfterMilliseconds,
                code: .authenticationFailed, reason: reason))
        closeIfDone()
    }

    private mutating func beginDraining(at now: Uptime, reconnectAfterMilliseconds: UInt32, reason: String) {
        guard state.beginDraining(at: now), state.phase == .open else { return }
        output.goAway(makeGoAway(lastID: .max, reconnectAfterMilliseconds: reconnectAfterMilliseconds, reason: reason))
    }

    /// Writes the second GOAWAY, which names the last request that is executed.
    mutating func finishDraining(since: Uptime, at now: Uptime) {
        state.refuseRequests(since: since)
        var goAway = makeGoAway(lastID: requests.lastID, reconnectAfterMilliseconds: 0, reason: "this connection ends")
        // The rest of the time that the first GOAWAY promised.
        goAway.graceMilliseconds -= UInt32(clamping: min(now - since, UInt64(goAway.graceMilliseconds)))
        output.goAway(goAway)
        closeIfDone()
    }

    private func makeGoAway(
        lastID: UInt64, reconnectAfterMilliseconds: UInt32, code: ErrorCode = .draining, reason: String
    ) -> GoAway {
        GoAway(
            lastID: lastID,
            code: code,
            graceMilliseconds: limits.drainTimeoutMilliseconds,
            reconnectAfterMilliseconds: reconnectAfterMilliseconds,
            reason: reason
        )
    }

    /// Ends a session that takes no more requests once every request is answered.
    mutating func closeIfDone() {
        if requests.isEmpty { state.closeIfNoMoreRequestsCome() }
    }
}
