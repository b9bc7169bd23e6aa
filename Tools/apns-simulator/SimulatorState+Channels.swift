import CarillonSimulator

/// Channel management: what APNs answers on its ports 2195 and 2196.
extension SimulatorState {
    /// Judges a request of channel management and carries it out; `now` is in milliseconds since 1970, and the clock is
    /// wrong by `skew` seconds.
    func manage(
        _ request: PushRequest, on connection: inout Validator.Connection, state: inout State, now: Int64, skew: Int64,
        id: UnsafeRawBufferPointer
    ) -> Verdict {
        state.requests += 1
        var reply = Reply(status: 200, requestID: (request.canonicalRequestID ?? id).text)
        switch answer(request, on: &connection, state: &state, seconds: now / 1_000 + skew, now: now) {
        case .success(let success): (reply.status, reply.channelID, reply.body) = success
        case .failure(let rejection):
            (reply.status, reply.body, reply.retryAfter) = (rejection.status, rejection.body, rejection.retryAfter)
            state.countRejection(rejection)
        }
        return .replied(reply)
    }

    private typealias Success = (status: UInt16, channelID: String?, body: String)

    private func answer(
        _ request: PushRequest, on connection: inout Validator.Connection, state: inout State, seconds: Int64,
        now: Int64
    ) -> Result<Success, Rejection> {
        guard let channelRequest = ChannelRequest(path: request.path) else { return .failure(Rejection(.badPath)) }
        if request.hasDuplicates { return .failure(Rejection(.duplicateHeaders)) }
        if let reason = validator.authenticate(request.authorization, on: &connection, at: seconds)
            ?? validator.fault(inBundle: channelRequest.app, connection)
        {
            return .failure(Rejection(reason))
        }
        switch channelRequest.operation(of: request) {
        case .failure(let fault): return .failure(Rejection(fault.reason))
        case .success(let operation):
            if let rejection = state.rules.rejection(ofChannelRequest: request.path, at: now) {
                return .failure(rejection)
            }
            return state.channels.carryOut(operation, app: channelRequest.app).mapError { Rejection($0.reason) }
        }
    }
}

extension ChannelStore {
    /// Carries out a valid request: the status, the header `apns-channel-id` and the body of its answer.
    fileprivate mutating func carryOut(
        _ operation: ChannelRequest.Operation, app: [UInt8]
    ) -> Result<(status: UInt16, channelID: String?, body: String), ChannelFault> {
        switch operation {
        case .create(let policy):
            guard let id = create(policy, app: app) else { return .failure(ChannelFault(.cannotCreateChannelConfig)) }
            return .success((201, id, ""))
        case .read(let channel):
            guard let policy = policy(of: channel, app: app) else {
                return .failure(ChannelFault(.channelNotRegistered))
            }
            return .success(
                (200, nil, "{\"message-storage-policy\":\(policy.rawValue),\"push-type\":\"LiveActivity\"}"))
        case .list:
            return .success((200, nil, "{\"channels\":[\(all(app: app).map { quoted($0) }.joined(separator: ","))]}"))
        case .delete(let channel):
            guard delete(channel, app: app) else { return .failure(ChannelFault(.channelNotRegistered)) }
            return .success((204, nil, ""))
        }
    }
}
