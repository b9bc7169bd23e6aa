import CarillonCore
import CarillonWire

/// Requests: decoded, checked against the session's own rules, and handed to the caller.
extension ServerSession {
    mutating func requestReceived(
        _ header: FrameHeader,
        _ payload: UnsafeRawBufferPointer,
        _ now: Moment
    ) -> Step {
        lastID = header.id
        if case .closing = drain {
            // No fault of the client: it sent this before it saw the GOAWAY. The end of draining bounds the number of these.
            output.error(Self.drainingError, opcode: header.opcode, id: header.id)
            return .proceed
        }
        guard isServed(header.opcode) else {
            let text = "opcode \(header.opcode.rawValue) is not served"
            return refuse(header, ErrorReply(.unsupportedOpcode, message: text), now)
        }
        guard header.flags >> 4 == 0 else {
            return refuse(header, ErrorReply(.unsupportedVersion, message: "only layout 1 is spoken"), now)
        }
        do {
            return try decode(header, payload, now)
        } catch {
            return refuse(header, ErrorReply(error), now)
        }
    }

    private mutating func decode(
        _ header: FrameHeader,
        _ payload: UnsafeRawBufferPointer,
        _ now: Moment
    ) throws(WireFault) -> Step {
        if let (read, app, common) = try PointRead.decode(header.opcode, payload, lastApp: &lastApp) {
            track(header)
            return .pointRead(read, of: app, id: header.id, deadline: deadline(common, now))
        }
        if let (change, app, common) = try Change.decode(header.opcode, payload, lastApp: &lastApp, now: now.wall) {
            track(header)
            return .change(change, of: app, id: header.id, deadline: deadline(common, now))
        }
        let (request, common) = try Request.decode(header.opcode, payload, lastApp: &lastApp)
        switch request {
        case .hello(let hello):
            helloReceived(hello, id: header.id, now)
            return .proceed
        case .authenticate(let authentication):
            track(header)
            return .authenticate(authentication, id: header.id)
        case .registerBatch(let items) where !fitsAnswer(rows: items.count, bytes: 11):
            let text = "the answer would be larger than the receive_limit of HELLO"
            return refuse(header, ErrorReply(.invalidArgument, message: text, field: "items"), now)
        case .send(let message) where isTooFarAhead(message, now):
            return refuse(header, Self.tooFarAheadError, now)
        default:
            if let refusal = updateSubscriptions(request, id: header.id) { return refuse(header, refusal, now) }
            track(header)
            return .run(request.answered(within: receiveLimit), id: header.id, deadline: deadline(common, now))
        }
    }

    /// Reads a request if it continues the batch.
    ///
    /// - Returns: nil if it does not, or if it has a fault; then nothing is written, and the request is not tracked.
    mutating func batchRequestReceived(
        _ header: FrameHeader,
        _ payload: UnsafeRawBufferPointer,
        _ now: Moment,
        _ batch: OpenBatch
    ) -> BatchStep? {
        if case .closing = drain { return nil }
        guard header.flags >> 4 == 0 else { return nil }
        let step: BatchStep
        switch batch {
        case .pointReads(let opcode, let app):
            // Why: a payload with a fault is read once more without the batch, and its error is written then.
            guard header.opcode == opcode, let (read, common) = try? PointRead.decode(opcode, payload, of: app)
            else { return nil }
            step = .pointRead(read, id: header.id, deadline: deadline(common, now))
        case .changes(let app):
            // Why: as above.
            guard isServed(header.opcode),
                let (change, itsApp, common) = try? Change.decode(
                    header.opcode, payload, lastApp: &lastApp, now: now.wall), itsApp == app
            else { return nil }
            step = .change(change, id: header.id, deadline: deadline(common, now))
        }
        lastID = header.id
        track(header)
        return step
    }

    private func isServed(_ opcode: Opcode) -> Bool {
        welcome.opcodes.contains { $0.opcode == opcode }
    }

    private mutating func track(_ header: FrameHeader) {
        outstanding.add(header.id, header.opcode, bytes: Int(header.length))
    }

    /// Uptime in milliseconds after which the request need not begin; nil if it does not say.
    private func deadline(_ common: CommonFields, _ now: Moment) -> UInt64? {
        common.deadlineMilliseconds.map { now.uptimeMilliseconds + UInt64($0) }
    }

    private mutating func helloReceived(_ hello: Hello, id: UInt64, _ now: Moment) {
        receiveLimit = hello.receiveLimit == 0 ? limits.frameBytes : hello.receiveLimit
        var answer = welcome
        answer.clock = now.wall
        answer.isAuthenticated = principal != nil
        output.response(.welcome(answer), id: id)
        phase = principal == nil ? .auth(failures: 0) : .open
    }

    private func isTooFarAhead(_ message: Message, _ now: Moment) -> Bool {
        message.sendAt.map { $0.milliseconds(since: now.wall) > WireLimits.scheduleMilliseconds } ?? false
    }

    /// Whether an answer with so many rows fits in what the client takes; 16 bytes are for its other fields.
    private func fitsAnswer(rows: Int, bytes: Int) -> Bool {
        16 + rows * bytes <= Int(receiveLimit)
    }

    private static let tooFarAheadError = ErrorReply(
        .invalidArgument, message: "a message is scheduled at most 366 days ahead", field: "send_at",
        limit: WireLimits.scheduleMilliseconds)

    private static let drainingError = ErrorReply(
        .draining,
        retry: .after(milliseconds: 0),
        message: "this connection takes no more requests; use another"
    )
}
