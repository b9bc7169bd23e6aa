import CarillonClock
import CarillonCore
import CarillonHTTP2
import CarillonProvider
import CarillonTLS
import Glibc
import Logging
import NIOCore

/// Opens the connection, checks its deadlines, drains it, handles its faults, and closes it.
extension PushConnection {
    // MARK: Opening

    /// Reports that the connection works, once an answer has shown it. A connection that the peer closes after its
    /// SETTINGS has failed, and the next attempt waits longer.
    func openedIfReady() {
        guard !reporter.hasOpened, machine.isProven, machine.state == .open else { return }
        reporter.opened(streams: machine.streamAllowance(openStreams: 0), at: Clock.uptime())
    }

    // MARK: Deadlines

    /// Checks all deadlines. Called every quarter of a second or so.
    func checkDeadlines() {
        let now = Clock.uptime()
        cancelOverdue(at: now)
        switch machine.timerFired(isWaiting: pushes.unanswered > 0, at: now) {
        case .wait: break
        case .ping(let payload):
            // Why try?: a session that cannot ping is closed by the next deadline.
            try? secureHTTP2?.http2?.ping(payload)
        case .close(let reason):
            log(
                "the connection to \(provider) timed out",
                metadata: ["wait": "\(reason)", "unanswered": "\(pushes.unanswered)"])
            reporter.failed(because: ConnectionTimeoutError(wait: "\(reason)"))
            return close()
        case .drain:
            if pushes.hasPulled {
                reporter.failed(because: ConnectionTimeoutError(wait: "answer"))
                log(
                    machine.isProven
                        ? "connection is replaced: \(provider) is silent"
                        : "connection is replaced: it has not shown in time that it works",
                    metadata: ["unanswered": "\(pushes.unanswered)"])
            }
            retire(pushes.hasPulled ? .ended : .planned)
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
        statistics.update(windowBytes: http2.remoteConnectionWindowBytes)
        // A channel that is closing cannot be asked: the last sample stays.
        socket.getTCPInfo().whenSuccess { [statistics] in statistics.update(roundTripMicroseconds: $0.tcpi_rtt) }
    }

    private func cancelOverdue(at now: Uptime) {
        guard let http2 = secureHTTP2?.http2 else { return }
        let overdue = pushes.markOverdue(submittedBefore: machine.overdueLimit(at: now))
        guard !overdue.isEmpty else { return }
        log("pushes were not answered in time", metadata: ["count": "\(overdue.count)"])
        // Why try?: a stream that is closed has its event already. The other streams end in the next cycle.
        for stream in overdue { try? http2.cancel(stream: stream) }
    }

    /// Asks for another connection, or replaces this one, if the peer takes no pushes and work waits. A peer that
    /// allows no stream, or never opens its window again, still answers PINGs.
    private func checkBlocked(at now: Uptime) {
        guard let http2 = secureHTTP2?.http2 else { return }
        let windowBytes = http2.remoteConnectionWindowBytes
        guard machine.isBlocked(openStreams: http2.openStreams, windowBytes: windowBytes),
            source.hasWork(for: target.key)
        else {
            return machine.peerUnblocked()
        }
        let metadata: Logger.Metadata = ["streams": "\(machine.maximumStreams)", "window": "\(windowBytes)"]
        switch machine.peerBlocked(at: now) {
        case .wait: break
        case .needAnother:
            log(
                "\(provider) takes no pushes on a connection, and work waits: another is opened", metadata: metadata)
            reporter.send(.blocked)
        case .drain:
            log("connection is replaced: \(provider) takes no pushes on it", metadata: metadata)
            retire(.ended)
        }
    }

    // MARK: Ending

    /// Ends the connection for the pool: takes no new work, and closes once every answer has come.
    func drain() {
        machine.drain(at: Clock.uptime())
        retire(.planned)
        if pushes.unanswered == 0 { close() }
    }

    /// Takes no new work from now on, and reports that.
    func retire(_ retirement: ConnectionGroupMachine.Retirement) {
        guard !reporter.hasRetired else { return }
        if workShare.releaseLane() { reporter.send(.laneReleased) }
        reporter.retired(retirement, at: Clock.uptime())
    }

    /// Logs a fault after which the connection cannot work, and closes it.
    func fail(_ message: Logger.Message, because error: any Error) {
        guard machine.state != .closing else { return }
        reporter.failed(because: error)
        var metadata: Logger.Metadata = [
            "error": "\(ConnectionFault(error).text)", "state": "\(machine.state)",
            "unanswered": "\(pushes.unanswered)",
        ]
        if let violation = secureHTTP2?.http2?.violation { metadata["detail"] = "\(violation)" }
        log(message, metadata: metadata)
        close()
    }

    /// Logs how the peer has ended the connection, unless no answer was awaited.
    func logEndByPeer(_ ending: String) {
        let metadata: Logger.Metadata = [
            "ending": "\(ending)", "state": "\(machine.state)", "unanswered": "\(pushes.unanswered)",
        ]
        switch machine.state {
        case .connecting, .handshaking, .awaitingSettings:
            reporter.failed(because: ChannelError.eof)
            log("\(provider) closed the connection before it could be used", metadata: metadata)
        case .probing, .open, .draining:
            if pushes.unanswered > 0 {
                log("\(provider) closed the connection with pushes in flight", metadata: metadata)
            } else if machine.state != .draining {
                log("\(provider) closed the connection", metadata: metadata, level: .info)
            }
        case .closing: break
        }
    }

    /// Writes the bytes that wait, and closes the channel.
    func close() {
        guard machine.state != .closing else { return }
        machine.close()
        if let secureHTTP2, let context {
            flush()
            secureHTTP2.end(to: context)
            context.flush()
        }
        context?.close(promise: nil)
    }

    /// Ends the work, because the channel is closed: gives back the results, and fails the streams that are open.
    func closed() {
        if machine.state != .closing { logEndByPeer("FIN") }
        machine.close()
        timers?.cancel()
        if let http2 = secureHTTP2?.http2 {
            // Streams that are closed and whose results were not given back yet.
            handleEvents(of: http2)
            http2.close()
            let unanswered = pushes.failAll(of: http2)
            if !machine.endsIndependentlyOfPushes { reporter.send(.ended(unanswered: unanswered)) }
        }
        retire(.ended)
        pushes.giveBack()
    }
}

/// The error of a connection that has not become usable in time.
struct ConnectionTimeoutError: Error, CustomStringConvertible {
    /// The step that was waited for.
    var wait: String

    var description: String { "timed out: \(wait)" }
}
