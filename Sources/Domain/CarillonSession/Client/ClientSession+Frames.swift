import CarillonCore
import CarillonWire

/// Answers, errors, events and control frames.
extension ClientSession {
    mutating func frameCompleted(
        _ header: FrameHeader,
        payload: UnsafeRawBufferPointer,
        at now: Uptime
    ) -> ClientStep {
        do {
            switch FrameKind(rawValue: header.kind) {
            case .answer: return try answerReceived(header, payload: payload)
            case .error: return errorReceived(try RequestError(decoding: payload), header: header)
            case .control where header.flags >> 4 == 0: return try controlReceived(header, payload: payload, at: now)
            case .event where isKnownEvent(header): return try eventReceived(header, payload: payload)
            case .control, .event, .request, nil: return .proceed
            }
        } catch {
            return .close(close(.garbled(error)))
        }
    }

    private mutating func eventReceived(
        _ header: FrameHeader,
        payload: UnsafeRawBufferPointer
    ) throws(WireError) -> ClientStep {
        let notice = try EventNotice(decoding: payload)
        state.serverWorked()
        return subscriptions.spend(header.id) ? .event(notice, subscription: header.id) : .proceed
    }

    private mutating func answerReceived(
        _ header: FrameHeader,
        payload: UnsafeRawBufferPointer
    ) throws(WireError) -> ClientStep {
        switch (state.phase, header.opcode) {
        case (.hello, _) where header.id != requests.lastID, (.auth, _) where header.id != requests.lastID:
            return .close(garbled("an answer out of its phase"))
        case (.hello, .hello):
            guard !state.isVersionRefused else { return .close(garbled("an answer after the version was refused")) }
            return helloAnswered(try HelloRequest.decodeAnswer(payload))
        case (.auth, .authenticate):
            state.authenticated(as: try AuthenticateRequest.decodeAnswer(payload))
            return .opened
        case (.open, _):
            state.serverWorked()
            guard let request = requests[header.id] else { return .proceed }
            // The request is removed only after its answer was read. If reading fails, the request counts as
            // unanswered.
            let step = request.isAbandoned ? ClientStep.proceed : try answered(header, payload: payload)
            _ = requests.remove(header.id)
            if request.opcode == .subscribeEvents { subscribed(header.id, isAbandoned: request.isAbandoned) }
            return step
        default:
            return .close(garbled("an answer out of its phase"))
        }
    }

    private mutating func subscribed(_ id: UInt64, isAbandoned: Bool) {
        if isAbandoned { unsubscribe(id) } else { subscriptions.subscriptionAnswered(id) }
    }

    private func answered(
        _ header: FrameHeader,
        payload: UnsafeRawBufferPointer
    ) throws(WireError) -> ClientStep {
        do {
            return .answered(try AnyAnswer.decode(payload, of: header.opcode), id: header.id)
        } catch {
            // The form is right, but this version does not know a value. The connection stays open.
            guard error.code == .invalidArgument else { throw error }
            return .unreadable(error, id: header.id)
        }
    }

    private mutating func helloAnswered(_ helloAnswer: HelloAnswer) -> ClientStep {
        state.helloAnswered(helloAnswer)
        if helloAnswer.isAuthenticated { return .opened }
        guard let key = options.key else { return .close(close(.keyNeeded)) }
        output.request(AuthenticateRequest(key: key), id: requests.nextID())
        state.keySent()
        return .proceed
    }

    private mutating func errorReceived(_ error: RequestError, header: FrameHeader) -> ClientStep {
        if error.scope == .connection || state.phase != .open {
            return .close(close(.server(error), naming: header.id))
        }
        guard header.id != 0 else { return .close(garbled("an error of scope request that names none")) }
        state.serverWorked()
        subscriptions.end(header.id)
        guard let request = requests.remove(header.id), !request.isAbandoned else { return .proceed }
        return .refused(error, id: header.id)
    }

    private mutating func controlReceived(
        _ header: FrameHeader,
        payload: UnsafeRawBufferPointer,
        at now: Uptime
    ) throws(WireError) -> ClientStep {
        switch try Control.decode(payload, of: header) {
        case .ping(let ping) where ping.isAcknowledgement:
            guard pings.answered(ping.payload) else { return .proceed }
            state.serverWorked()
            return .pingAnswered
        case .ping(let ping):
            guard pings.serverPinged(at: now) else { return .close(garbled("too many pings")) }
            output.ping(Ping(isAcknowledgement: true, payload: ping.payload))
            return .proceed
        case .goAway(let goAway):
            return drainingBegan(goAway)
        case .position(let position):
            return state.phase == .open && helloAnswer?.node != nil ? .position(position) : .proceed
        case .unknown:
            return .proceed
        }
    }

    private mutating func drainingBegan(_ goAway: GoAway) -> ClientStep {
        guard state.phase == .open else {
            let isRefused = goAway.code == .authenticationFailed
            return .close(
                close(
                    .server(
                        RequestError(
                            isRefused ? goAway.code : .draining, scope: .connection,
                            retry: isRefused ? .never : .after(milliseconds: goAway.reconnectAfterMilliseconds),
                            message: goAway.reason))))
        }
        state.drainingBegan()
        var refused: [UInt64] = []
        for id in requests.ids(after: goAway.lastID) {
            subscriptions.end(id)
            if let request = requests.remove(id), !request.isAbandoned { refused.append(id) }
        }
        return .goingAway(goAway, notExecuted: refused)
    }
}
