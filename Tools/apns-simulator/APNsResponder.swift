import CarillonHTTP2
import CarillonHTTP2Server
import CarillonSimulator
import CarillonTLS
import NIOCore

/// Responds to the requests of one connection as APNs does.
///
/// `SimulatedAPNs.judge` decides about pushes, between a request's arrival and `send`.
final class APNsResponder: Responder {
    private let simulator: SimulatedAPNs
    /// True if the connection is on the port of channel management.
    private let isForChannels: Bool
    private var credentials = PushValidator.Credentials()
    /// True if a request has been accepted, so that the client may open as many streams as others.
    private var isProven = false
    /// True if the stream limit has been raised from the one that an unproven client gets.
    private var hasRaisedStreams = false
    private let accepted: PreparedResponse
    private var rejectionCache = RejectionCache()
    private let ids = IDGenerator()
    private let uniqueIDs = IDGenerator()
    private var delayed: [Delayed] = []

    /// A response that is sent later.
    private struct Delayed {
        var stream: Int32
        var response: SimulatedResponse
        var id: [UInt8]
        /// The header `apns-unique-id` of a success.
        var uniqueID: String?
        var frameBytes = Int.max
    }

    init(_ simulator: SimulatedAPNs, isForChannels: Bool) throws(HTTP2Error) {
        self.simulator = simulator
        self.isForChannels = isForChannels
        accepted = try PreparedResponse(status: 200)
    }

    /// Reads Apple's extensions in a client's certificate, and ends the connection if it is for the other environment.
    func connectionOpened(_ connection: SimulatorConnection, on context: ChannelHandlerContext) throws {
        guard let certificate = connection.tls.peerCertificate else { return }
        let isForBoth = certificate.pushScope.isForProduction == certificate.pushScope.isForSandbox
        guard isForBoth || certificate.pushScope.isForSandbox == simulator.isSandbox else {
            return connection.end(with: .noError, debugData: #"{"reason":"BadCertificateEnvironment"}"#, on: context)
        }
        let names = certificate.pushScope.apnsTopics
        credentials.topics = (names.isEmpty ? certificate.userID.map { [$0] } ?? [] : names).map { Array($0.utf8) }
        try raiseStreams(of: connection)
    }

    func maxStreamsChanged(to limit: UInt32, on connection: SimulatorConnection) throws {
        if hasRaisedStreams { try connection.http.update(maxConcurrentStreams: limit) }
    }

    /// Judges all requests of the burst, and responds at once or later.
    func respond(on connection: SimulatorConnection, in context: ChannelHandlerContext) throws {
        let now = millisecondsSince1970()
        let waiting = delayed.count
        try simulator.withState { state in
            defer { simulator.burstEnded(&state) }
            try connection.forEachRequest { request in
                try judge(request, on: connection, state: &state, now: now, context: context)
            }
        }
        if isProven, !hasRaisedStreams { try raiseStreams(of: connection) }
        if delayed.count > waiting { respondLater(delayed.count - waiting, on: connection, in: context) }
    }

    private func judge(
        _ request: Request, on connection: SimulatorConnection, state: inout SimulatedAPNs.State, now: Int64,
        context: ChannelHandlerContext
    ) throws {
        let push = ReceivedPush(request)
        var plan = FaultPlan(delayMilliseconds: simulator.delayMilliseconds)
        if state.rules.faults.watchesRequests {
            plan = try connection.faultPlan(
                of: push.deviceToken, stream: request.stream, faults: &state.rules.faults,
                delayMilliseconds: simulator.delayMilliseconds, at: now)
            guard plan.isProcessed else { return try connection.endUnprocessed(request.stream, by: plan) }
        }
        let arrival = makeArrival(of: push, at: now, skewSeconds: plan.skewSeconds)
        let response =
            if isForChannels {
                simulator.manage(push, at: arrival, with: &credentials, state: &state)
            } else if BroadcastRules.isBroadcast(push) {
                simulator.broadcast(push, at: arrival, with: &credentials, state: &state)
            } else {
                simulator.judge(push, at: arrival, with: &credentials, state: &state)
            }
        if plan.isPlain, plan.delayMilliseconds == 0 {
            return try send(
                response, to: request.stream, of: connection, id: arrival.id, uniqueID: arrival.uniqueID)
        }
        let delayed = Delayed(
            stream: request.stream, response: response, id: Array(arrival.id), uniqueID: arrival.uniqueID,
            frameBytes: plan.frameBytes)
        connection.promiseResponse(on: request.stream)
        if plan.isPlain {
            self.delayed.append(delayed)
        } else {
            try connection.deliver(on: request.stream, as: plan, context: context) { [self] in
                try send([delayed], on: connection)
            }
        }
    }

    private func makeArrival(of push: ReceivedPush, at now: Int64, skewSeconds: Int64) -> RequestArrival {
        if !isForChannels, BroadcastRules.isBroadcast(push) {
            // A broadcast push without an id gets its unique id.
            let uniqueID = uniqueIDs.next()
            return RequestArrival(
                milliseconds: now, skewSeconds: skewSeconds, id: push.canonicalRequestID ?? uniqueID,
                uniqueID: uniqueID.text)
        }
        let hasUniqueID = simulator.isSandbox && !isForChannels
        return RequestArrival(
            milliseconds: now, skewSeconds: skewSeconds, id: push.canonicalID ?? ids.next(),
            uniqueID: hasUniqueID ? uniqueIDs.next().text : nil)
    }

    /// Raises the stream limit from the one that an unproven client gets, because the client is proven.
    private func raiseStreams(of connection: SimulatorConnection) throws(HTTP2Error) {
        hasRaisedStreams = true
        try connection.http.update(maxConcurrentStreams: simulator.connections.maxStreams)
    }

    private func send(
        _ response: SimulatedResponse, to stream: Int32, of connection: SimulatorConnection, id: UnsafeRawBufferPointer,
        uniqueID: String?, frameBytes: Int = .max
    ) throws {
        do {
            switch response {
            case .accepted:
                isProven = true
                try connection.http.respond(to: stream, with: success(uniqueID), requestID: id)
            case .rejected(let rejection):
                let (head, body) = try rejectionCache.response(to: rejection)
                try connection.http.respond(to: stream, with: head, requestID: id, body: body, frameBytes: frameBytes)
            case .channel(let response):
                if response.status < 300 { isProven = true }
                let (head, body) = try response.prepared()
                try connection.http.respond(to: stream, with: head, body: body, frameBytes: frameBytes)
            }
        } catch HTTP2Error.unknownStream {
            // The client has cancelled the stream in the meantime.
        }
    }

    /// Returns the head of a success.
    private func success(_ uniqueID: String?) throws(HTTP2Error) -> PreparedResponse {
        guard let uniqueID else { return accepted }
        return try PreparedResponse(status: 200, fields: [HeaderField("apns-unique-id", uniqueID)])
    }

    /// Sends the next `count` responses after the delay of every response.
    private func respondLater(_ count: Int, on connection: SimulatorConnection, in context: ChannelHandlerContext) {
        connection.after(.milliseconds(simulator.delayMilliseconds), on: context) { [self] in
            let due = Array(delayed.prefix(count))
            delayed.removeFirst(due.count)
            connection.perform(context) { try send(due, on: connection) }
        }
    }

    private func send(_ due: [Delayed], on connection: SimulatorConnection) throws {
        var failure: (any Error)?
        for delayed in due {
            delayed.id.withUnsafeBytes { id in
                do {
                    try send(
                        delayed.response, to: delayed.stream, of: connection, id: id, uniqueID: delayed.uniqueID,
                        frameBytes: delayed.frameBytes)
                } catch { failure = error }
            }
            if let failure { throw failure }
        }
        if isProven, !hasRaisedStreams { try raiseStreams(of: connection) }
    }
}

extension ChannelResponse {
    /// Returns the response in the form that HTTP/2 needs.
    fileprivate func prepared() throws(HTTP2Error) -> (PreparedResponse, PreparedBody?) {
        let head = try PreparedResponse(status: status, fields: fields)
        return (head, body.isEmpty ? nil : PreparedBody(body.utf8))
    }

    private var fields: [HeaderField] {
        var fields = [HeaderField("apns-request-id", requestID)]
        if let uniqueID { fields.append(HeaderField("apns-unique-id", uniqueID)) }
        if let channelID { fields.append(HeaderField("apns-channel-id", channelID)) }
        if let retryAfter { fields.append(HeaderField("retry-after", retryAfter)) }
        if status >= 400 { fields.append(HeaderField("content-type", "application/json")) }
        return fields
    }
}
