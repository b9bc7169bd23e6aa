import CarillonClock
import CarillonCore
import CarillonHTTP2
import CarillonProvider
import Glibc
import Logging
import NIOCore

/// The life of the connection: opening, checks of deadlines, draining, faults and the close.
extension PushConnection {
    // MARK: Opening

    /// Reports that the connection works, once an answer has shown it. A connection that the peer closes after its
    /// SETTINGS has failed, and the next attempt waits longer.
    func openedIfReady() {
        guard openedAt == nil, machine.isProven, machine.state == .open else { return }
        openedAt = Clock.uptime()
        countStreams(machine.streamAllowance(open: 0))
        observer.opened()
    }

    /// Counts the streams again, because the peer has changed how many it allows.
    func streamLimitChanged() {
        if openedAt != nil { countStreams(machine.streamAllowance(open: 0)) }
    }

    private func countStreams(_ count: Int) {
        metrics.streamsChanged(by: count - countedStreams)
        countedStreams = count
    }

    // MARK: Deadlines

    /// Checks all deadlines. Called every quarter of a second or so.
    func checkDeadlines() {
        let now = Clock.uptime()
        cancelOverdue(at: now)
        switch machine.timerFired(isWaiting: inFlight.count > 0, at: now) {
        case .wait: break
        case .ping(let payload):
            // Why try?: a session that cannot ping is closed by the next deadline.
            try? secureHTTP2?.http2?.ping(payload)
        case .close(let reason):
            log.write(
                "the connection to \(provider) timed out", ["wait": "\(reason)", "unanswered": "\(inFlight.count)"],
                to: logger)
            endsForOtherReason = true
            reportFailure(ConnectionTimeoutError(wait: "\(reason)"))
            return close()
        case .drain:
            if hasSubmitted {
                reportFailure(ConnectionTimeoutError(wait: "answer"))
                log.write(
                    machine.isProven
                        ? "connection is replaced: \(provider) is silent"
                        : "connection is replaced: it has not shown in time that it works",
                    ["unanswered": "\(inFlight.count)"], to: logger)
            }
            retire(hasSubmitted ? .ended : .planned)
        case .closeIdle:
            return drain()
        }
        checkBlocked(at: now)
        sampleNetwork()
        runCycle()
    }

    /// Samples the window and the round-trip time, for operators. The kernel measures the time with the bytes that flow
    /// anyway.
    private func sampleNetwork() {
        guard let http2 = secureHTTP2?.http2, let socket = context?.channel as? any SocketOptionProvider else { return }
        statistics.update(window: http2.remoteConnectionWindow)
        // A channel that is closing cannot be asked: the last sample stays.
        socket.getTCPInfo().whenSuccess { [statistics] in statistics.update(roundTripMicroseconds: $0.tcpi_rtt) }
    }

    private func cancelOverdue(at now: Uptime) {
        guard let http2 = secureHTTP2?.http2 else { return }
        let overdue = inFlight.markOverdue(startedBefore: now.earlier(byMilliseconds: answerMilliseconds))
        guard !overdue.isEmpty else { return }
        log.write("pushes were not answered in time", ["count": "\(overdue.count)"], to: logger)
        // Why try?: a stream that is closed has its event already. The other streams end in the next cycle.
        for stream in overdue { try? http2.cancel(stream: stream) }
    }

    /// Asks for another connection, or replaces this one, if the peer takes no pushes and work waits. A peer that
    /// allows no stream, or never opens its window again, still answers PINGs.
    private func checkBlocked(at now: Uptime) {
        guard let http2 = secureHTTP2?.http2 else { return }
        let window = http2.remoteConnectionWindow
        guard machine.isBlocked(open: http2.openStreams, window: window), source.hasWork(for: upstream.key) else {
            return machine.peerUnblocked()
        }
        let metadata: Logger.Metadata = ["streams": "\(machine.maximumStreams)", "window": "\(window)"]
        switch machine.blockedWorkWaits(at: now) {
        case .wait: break
        case .needAnother:
            log.write(
                "\(provider) takes no pushes on a connection, and work waits: another is opened", metadata, to: logger)
            observer.blocked()
        case .drain:
            log.write("connection is replaced: \(provider) takes no pushes on it", metadata, to: logger)
            retire(.ended)
        }
    }

    // MARK: Ending

    /// Ends the connection for the pool: takes no new work, and closes once every answer has come.
    func drain() {
        machine.drainingBegan(at: Clock.uptime())
        retire(.planned)
        if inFlight.count == 0 { close() }
    }

    /// Takes no new work from now on, and reports that.
    func retire(_ retirement: PoolMachine.Retirement) {
        guard !hasRetired else { return }
        hasRetired = true
        if lane.release() { observer.laneReleased() }
        countStreams(0)
        let now = Clock.uptime()
        observer.retired(retirement, openedAt.map { now.milliseconds(since: $0) })
    }

    /// Logs a fault with which the connection cannot go on, and closes it.
    func fail(_ message: Logger.Message, _ error: any Error) {
        guard !isClosing else { return }
        reportFailure(error)
        var metadata: Logger.Metadata = [
            "error": "\(ConnectionLog.text(of: error))", "state": "\(machine.state)", "unanswered": "\(inFlight.count)",
        ]
        if let violation = secureHTTP2?.http2?.violation { metadata["detail"] = "\(violation)" }
        log.write(message, metadata, to: logger)
        close()
    }

    /// Records why the connection could not be used, if it has never worked.
    private func reportFailure(_ error: any Error) {
        if openedAt == nil { metrics.recordFailure(because: error, at: Clock.wallTime()) }
    }

    /// Logs how the peer has ended the connection, unless no answer was awaited any more.
    func logEndByPeer(_ ending: String) {
        let metadata: Logger.Metadata = [
            "ending": "\(ending)", "state": "\(machine.state)", "unanswered": "\(inFlight.count)",
        ]
        switch machine.state {
        case .connecting, .securing, .awaitingSettings:
            reportFailure(ChannelError.eof)
            log.write("\(provider) closed the connection before it could be used", metadata, to: logger)
        case .probing, .open, .draining:
            if inFlight.count > 0 {
                log.write("\(provider) closed the connection with pushes in flight", metadata, to: logger)
            } else if machine.state != .draining {
                log.write("\(provider) closed the connection", metadata, level: .info, to: logger)
            }
        case .closed: break
        }
    }

    /// Writes the bytes that are to be written, and closes the channel.
    func close() {
        guard !isClosing else { return }
        isClosing = true
        if let secureHTTP2, let context {
            flush()
            secureHTTP2.end(to: context)
            context.flush()
        }
        context?.close(promise: nil)
    }

    /// Ends the work, because the channel is closed: gives back the results, and fails the streams that are open.
    func closed() {
        guard machine.state != .closed else { return }
        if !isClosing { logEndByPeer("FIN") }
        machine.connectionClosed()
        isClosing = true
        ticker?.cancel()
        ticker = nil
        if let http2 = secureHTTP2?.http2 {
            // Streams that are closed and whose results were not given back yet.
            handleEvents(of: http2)
            http2.close()
            failOpenStreams(of: http2)
        }
        retire(.ended)
        giveBack()
    }

    private func failOpenStreams(of http2: HTTP2ClientSession) {
        var unanswered: [Attempt] = []
        http2.forEachOpenStream { tag, _, wasSent, status in
            guard let attempt = inFlight.remove(tag)?.attempt else { return }
            let end = AttemptEnd(atEndOfConnection: status, wasSent: wasSent)
            if wasSent, end.verdict == .unknown { unanswered.append(attempt) }
            appendFailed(attempt, end)
        }
        if !endsForOtherReason { observer.endedUnder(unanswered) }
    }
}
