import CarillonCore
package import CarillonWire

/// Decodes each request, checks it against the session's own rules, and hands it to the caller.
extension ServerSession {
    /// Handles a whole request: answers it, or returns the step that the caller is to do.
    mutating func requestReceived(
        _ header: FrameHeader,
        payload: UnsafeRawBufferPointer,
        at now: Moment
    ) -> Step {
        requests.requestReceived(header.id)
        if state.refusesRequests {
            // This is no fault of the client: it sent the request before it saw the GOAWAY. The end of draining bounds
            // the number of such requests.
            output.error(Self.drainingError, opcode: header.opcode, id: header.id)
            return .proceed
        }
        guard helloAnswer.serves(header.opcode) else {
            let text = "opcode \(header.opcode.rawValue) is not served"
            return refuse(header, with: RequestError(.unsupportedOpcode, message: text), at: now)
        }
        guard header.flags >> 4 == 0 else {
            return refuse(header, with: RequestError(.unsupportedVersion, message: "only layout 1 is spoken"), at: now)
        }
        do {
            return try decode(header, payload: payload, at: now)
        } catch {
            return refuse(header, with: RequestError(error), at: now)
        }
    }

    private mutating func decode(
        _ header: FrameHeader,
        payload: UnsafeRawBufferPointer,
        at now: Moment
    ) throws(WireError) -> Step {
        let (request, common) = try ServerRequest.decode(
            payload, of: header.opcode, lastApp: &requests.lastApp, now: now.wall)
        switch request {
        case .pointRead(let read, of: let app):
            return .pointRead(read, of: app, in: try track(header, common: common, at: now))
        case .change(let change, of: let app):
            return .change(change, of: app, in: try track(header, common: common, at: now))
        case .longRead(let read):
            return .longRead(read, in: try track(header, common: common, at: now))
        case .statistics(let query):
            return .statistics(query, in: try track(header, common: common, at: now))
        case .dryRun(let message):
            if let refusal = refusal(ofTime: message.sendAt, at: now) { return refuse(header, with: refusal, at: now) }
            return .dryRun(message, in: try track(header, common: common, at: now))
        case .individual(let request):
            if let refusal = refusal(of: request, at: now) { return refuse(header, with: refusal, at: now) }
            return .individual(
                request.boundingPage(toBytes: client.receiveLimit), in: try track(header, common: common, at: now))
        case .session(let request):
            return try sessionRequestReceived(request, header: header, common: common, at: now)
        }
    }

    /// Returns the error of an individual request that cannot be run; nil if it can.
    private func refusal(of request: IndividualRequest, at now: Moment) -> RequestError? {
        switch request {
        case .registerBatch(let batch):
            let bytes = 4 + batch.items.count * RegisterBatchItemAnswer.byteCount
            guard bytes > Int(client.receiveLimit) else { return nil }
            return RequestError(
                .invalidArgument, message: "the answer would be larger than the receive_limit of HELLO", field: "items")
        case .send(let message): return refusal(ofTime: message.sendAt, at: now)
        default: return nil
        }
    }

    /// Returns the error of a message that cannot be sent at `sendAt`; nil if it can.
    private func refusal(ofTime sendAt: Timestamp?, at now: Moment) -> RequestError? {
        guard let sendAt, sendAt.milliseconds(since: now.wall) > WireLimits.scheduleMilliseconds else { return nil }
        return RequestError(
            .invalidArgument, message: "a message is scheduled at most 366 days ahead", field: "send_at",
            limit: WireLimits.scheduleMilliseconds)
    }

    private mutating func sessionRequestReceived(
        _ request: SessionRequest, header: FrameHeader, common: CommonFields, at now: Moment
    ) throws(WireError) -> Step {
        switch request {
        case .hello(let hello):
            helloReceived(hello, id: header.id, at: now)
            return .proceed
        case .authenticate(let authentication):
            track(header)
            return .authenticate(authentication, id: header.id)
        case .subscribeEvents(let subscription):
            if let refusal = begin(subscription, id: header.id) { return refuse(header, with: refusal, at: now) }
            return .subscribeEvents(subscription, in: try track(header, common: common, at: now))
        case .eventCredit(let credit):
            if let refusal = refusal(ofChangesTo: credit.subscription) { return refuse(header, with: refusal, at: now) }
            requests.subscriptions.raise(credit.subscription, to: credit.totalCredit)
            return .eventCredit(credit, in: try track(header, common: common, at: now))
        case .unsubscribeEvents(let unsubscription):
            if let refusal = refusal(ofChangesTo: unsubscription.subscription) {
                return refuse(header, with: refusal, at: now)
            }
            requests.subscriptions.end(unsubscription.subscription)
            track(header)
            return .unsubscribeEvents(unsubscription, id: header.id)
        }
    }

    /// Reads a request if it continues the pipeline.
    ///
    /// - Returns: nil if it does not, or if it has a fault; then nothing is written, and the request is not tracked.
    mutating func pipelinedRequestReceived(
        _ header: FrameHeader,
        payload: UnsafeRawBufferPointer,
        at now: Moment,
        continuing pipeline: Pipeline
    ) -> PipelineStep? {
        guard !state.refusesRequests else { return nil }
        guard header.flags >> 4 == 0 else { return nil }
        let step: PipelineStep
        switch pipeline {
        case .pointReads(let opcode, let app):
            // Why try?: a payload with a fault is read once more without the pipeline, which writes its error.
            guard header.opcode == opcode, helloAnswer.serves(opcode),
                let (read, common) = try? PointRead.decode(payload, of: opcode, about: app)
            else { return nil }
            step = .pointRead(read, head: head(header, common: common, at: now))
        case .changes(let app):
            // Why try?: a change with a fault is read once more without the pipeline, which writes its error.
            guard helloAnswer.serves(header.opcode),
                let (change, itsApp, common) = try? ServerRequest.decodeChange(
                    payload, of: header.opcode, lastApp: &requests.lastApp, now: now.wall), itsApp == app
            else { return nil }
            step = .change(change, head: head(header, common: common, at: now))
        }
        requests.requestReceived(header.id)
        track(header)
        return step
    }

    /// Counts a request that the caller runs as outstanding, and returns its context.
    ///
    /// - Throws: INTERNAL if the client is not known. The phase admits no such request, so it is a fault of the server.
    ///   The request still gets an answer.
    private mutating func track(
        _ header: FrameHeader, common: CommonFields, at now: Moment
    ) throws(WireError) -> RequestContext {
        guard let principal else { throw WireError(.internal, text: "the client is not known") }
        track(header)
        return RequestContext(head(header, common: common, at: now), of: principal, at: now)
    }

    private func head(_ header: FrameHeader, common: CommonFields, at now: Moment) -> RequestHead {
        let deadline = common.deadlineMilliseconds.map { now.uptime + UInt64($0) }
        return RequestHead(id: header.id, opcode: header.opcode, deadline: deadline, position: requiredPosition)
    }

    private mutating func track(_ header: FrameHeader) {
        requests.add(header)
    }

    private mutating func helloReceived(_ hello: HelloRequest, id: UInt64, at now: Moment) {
        client.limitAnswers(to: hello.receiveLimit)
        var answer = helloAnswer
        answer.clock = now.wall
        answer.isAuthenticated = principal != nil
        output.answer(answer, to: HelloRequest.self, id: id)
        state.helloAnswered(isAuthenticated: answer.isAuthenticated)
    }

    /// The answer to a request that is not begun because the connection ends: after the last GOAWAY, or because the
    /// client has lost its rights.
    package static let drainingError = RequestError(
        .draining,
        retry: .after(milliseconds: 0),
        message: "this connection takes no more requests; use another"
    )
}
