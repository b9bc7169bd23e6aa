package import CarillonCore
package import CarillonWire

/// The client's end of one connection: handshake, requests and answers (Protocol 2 to 6). It has no sockets and no
/// clock.
///
/// The caller sends what `output` collects, passes bytes and uptime in, and calls `timerFired` at `deadline`. After its
/// `SessionEnd` it sends what is left in `output` and closes; from then on the session writes nothing.
package struct ClientSession {
    let options: ClientSessionOptions
    /// The preface and the frames to send, in order; the caller takes them.
    package var output = FrameWriter()

    var state = ClientSessionState()
    var requests = UnansweredRequests()
    var subscriptions = SubscriptionCredits()
    var pings: ClientPings
    let startedAt: Uptime

    /// Makes the session of a new connection, with preface and HELLO in `output`.
    package init(options: ClientSessionOptions, now: Uptime) {
        self.options = options
        startedAt = now
        pings = ClientPings(now: now)
        output.raw(Preface.clientBytes)
        let hello = HelloRequest(software: options.software, receiveLimit: options.receiveLimit)
        output.request(hello, id: requests.nextID())
    }

    /// The server's answer to HELLO; nil until it has come.
    package var helloAnswer: HelloAnswer? { state.helloAnswer }

    /// The client's name and grants by its key; nil until AUTH is answered, and if the client has a certificate.
    package var authenticateAnswer: AuthenticateAnswer? { state.authenticateAnswer }

    /// True if the server has answered or refused a request, sent an event or answered a ping since the handshake.
    package var hasWorked: Bool { state.hasWorked }

    /// True if requests can be submitted now: the connection is open, does not drain, and the window has room.
    package var canSubmit: Bool { room > 0 }

    /// The number of requests that can be submitted now.
    package var room: Int { state.takesRequests ? max(0, inFlightLimit - requests.count) : 0 }

    package var isClosed: Bool { state.phase == .closed }

    package var isPinging: Bool { pings.sentAt != nil }

    /// The number of requests that the server has not answered, with the abandoned ones.
    package var outstandingCount: Int { requests.count }

    var inFlightLimit: Int {
        // At least one: a limit of 0 would stop all requests forever.
        min(max(Int(helloAnswer?.limits.requestsInFlight ?? 1), 1), options.inFlightLimit)
    }

    /// Asks the server to answer the following requests only from a state that contains a position of its cluster's log
    /// (Protocol 6.5). Has no effect if the server belongs to no cluster.
    package mutating func sendPosition(_ position: UInt64) {
        guard state.phase == .open, helloAnswer?.node != nil else { return }
        output.position(position)
    }

    // MARK: Requests

    /// Sends a request if it may be sent now. The server gets its deadline too.
    package mutating func submit<O: Operation>(_ request: O, deadline: Uptime?, at now: Uptime) -> RequestSubmission {
        if let reason = reasonNotToSend(O.opcode) { return reason }
        let start = output.bytes.count
        let common = CommonFields(deadlineMilliseconds: deadline.map { Self.remaining(until: $0, at: now) })
        output.request(request, id: requests.lastID + 1, common: common)
        if let refusal = refusal(ofBytes: output.bytes.count - start - FrameHeader.byteCount) {
            output.truncate(to: start)
            return refusal
        }
        let id = requests.add(O.opcode, deadline: deadline, at: now)
        trackSubscription(request, id: id)
        return .sent(id: id)
    }

    /// Sends a request that is encoded already, if it may be sent now. It must not be about a subscription of events.
    package mutating func submit(_ request: EncodedRequest, deadline: Uptime, at now: Uptime) -> RequestSubmission {
        if let reason = reasonNotToSend(request.opcode) { return reason }
        if let refusal = refusal(ofBytes: request.payloadByteCount) { return refusal }
        output.request(
            request, id: requests.lastID + 1, deadlineMilliseconds: Self.remaining(until: deadline, at: now))
        return .sent(id: requests.add(request.opcode, deadline: deadline, at: now))
    }

    private static func remaining(until deadline: Uptime, at now: Uptime) -> UInt32 {
        max(1, UInt32(clamping: deadline.milliseconds(since: now)))
    }

    private func reasonNotToSend(_ opcode: Opcode) -> RequestSubmission? {
        guard !state.isEnding, state.phase != .closed else { return .sendOnAnotherConnection }
        guard canSubmit, let helloAnswer else { return .sendLater }
        guard helloAnswer.opcodes.contains(where: { $0.opcode == opcode && $0.lowest <= 1 && $0.highest >= 1 })
        else {
            return .refused(RequestError(.unsupportedOpcode, message: "this server does not serve the request"))
        }
        return nil
    }

    private func refusal(ofBytes bytes: Int) -> RequestSubmission? {
        guard let limit = helloAnswer?.limits.frameBytes, bytes > Int(limit) else { return nil }
        return .refused(
            RequestError(
                .frameTooLarge, message: "the request has \(bytes) bytes; the server takes \(limit)",
                limit: UInt64(limit)))
    }

    private mutating func trackSubscription<O: Operation>(_ request: O, id: UInt64) {
        guard O.tableRow.kind == .session else { return }
        if let subscription = request as? SubscribeEventsRequest {
            subscriptions.begin(id, credit: subscription.credit)
        }
        if let credit = request as? EventCreditRequest {
            subscriptions.raise(credit.subscription, to: credit.totalCredit)
        }
        if let unsubscription = request as? UnsubscribeEventsRequest { subscriptions.end(unsubscription.subscription) }
    }

    /// Ignores further events of a subscription.
    package mutating func forget(subscription: UInt64) {
        subscriptions.end(subscription)
    }

    /// Ends a subscription that was abandoned before its answer came.
    mutating func unsubscribe(_ subscription: UInt64) {
        subscriptions.end(subscription)
        guard state.takesRequests else { return }
        let id = requests.addAbandoned(.unsubscribeEvents)
        output.request(UnsubscribeEventsRequest(subscription: subscription), id: id)
    }

    /// Gives up waiting for a request: its answer will be ignored. If the request began a subscription of events, the
    /// subscription is ended when the answer comes.
    package mutating func abandon(_ id: UInt64, at now: Uptime) {
        requests.abandon(id, limit: inFlightLimit, at: now)
    }

    /// Sends a PING, unless the last one is unanswered or the server's `ping_interval_ms` has not passed (Protocol
    /// 6.3).
    package mutating func sendPing(at now: Uptime) -> PingSubmission {
        guard state.phase == .open, let helloAnswer else { return .notOpen }
        if isPinging { return .underWay }
        if let lastPingAt = pings.lastAt {
            let next = lastPingAt + UInt64(helloAnswer.limits.pingIntervalMilliseconds)
            if now < next { return .tooSoon(until: next) }
        }
        writePing(at: now)
        return .sent
    }

    mutating func writePing(at now: Uptime) {
        output.ping(Ping(isAcknowledgement: false, payload: pings.begin(at: now)))
    }
}

/// The result of submitting a request.
package enum RequestSubmission: Hashable, Sendable {
    /// The request is in `output`; its answer will name this id.
    case sent(id: UInt64)
    /// The request cannot be sent now: the connection is not open, or its window is full.
    case sendLater
    /// The request cannot be sent on this connection, which takes no new requests.
    case sendOnAnotherConnection
    /// The request cannot be sent on any connection: the server does not take such a request.
    case refused(RequestError)
}

/// The result of sending a ping.
package enum PingSubmission: Hashable, Sendable {
    /// The ping is in `output`; `pingAnswered` will follow.
    case sent
    /// An earlier ping is unanswered; its answer serves for both.
    case underWay
    /// The server wants more time between pings.
    case tooSoon(until: Uptime)
    case notOpen
}
