import CarillonSimulator

/// Simulates the channel management that APNs offers on its ports 2195 and 2196.
extension SimulatedAPNs {
    /// Judges a request of channel management and carries it out.
    func manage(
        _ request: ReceivedPush, at arrival: RequestArrival, with credentials: inout PushValidator.Credentials,
        state: inout State
    ) -> SimulatedResponse {
        state.requestCount += 1
        var response = ChannelResponse(status: 200, requestID: (request.canonicalRequestID ?? arrival.id).text)
        switch result(of: request, arrival, with: &credentials, state: &state) {
        case .success(let success): (response.status, response.channelID, response.body) = success
        case .failure(let rejection):
            response.refuse(rejection)
            state.countRejection(rejection)
        }
        return .channel(response)
    }

    /// Judges a broadcast push and records it.
    func broadcast(
        _ push: ReceivedPush, at arrival: RequestArrival, with credentials: inout PushValidator.Credentials,
        state: inout State
    ) -> SimulatedResponse {
        state.requestCount += 1
        var response = ChannelResponse(status: 200, requestID: arrival.id.text)
        let app = BroadcastRules.app(of: push)
        if let rejection = fault(in: push, of: app, arrival, with: &credentials, state: &state) {
            response.refuse(rejection)
            state.countRejection(rejection)
            state.channels.recordRefused(push, app: app)
        } else {
            response.uniqueID = arrival.uniqueID
            state.channels.recordAccepted(push, requestID: response.requestID, app: app)
        }
        state.recorder.append(push, at: arrival, response: .channel(response))
        return .channel(response)
    }

    private func fault(
        in push: ReceivedPush, of app: [UInt8], _ arrival: RequestArrival,
        with credentials: inout PushValidator.Credentials, state: inout State
    ) -> Rejection? {
        guard push.method.equals("POST") else { return Rejection(.methodNotAllowed) }
        guard !app.isEmpty, !app.contains(UInt8(ascii: "/")) else { return Rejection(.badPath) }
        if push.hasDuplicates { return Rejection(.duplicateHeaders) }
        if let reason = validator.authenticate(push.authorization, with: &credentials, atSeconds: arrival.seconds)
            ?? validator.fault(inBundle: app, credentials)
        {
            return Rejection(reason)
        }
        switch ManagementRequest.channelID(of: push) {
        case .failure(let fault): return Rejection(fault.reason)
        case .success(let channel):
            guard let policy = state.channels.findPolicy(of: channel, app: app) else {
                return Rejection(.channelNotRegistered)
            }
            if let reason = BroadcastRules.fault(in: push, policy: policy) { return Rejection(reason) }
            return state.rules.rejection(ofChannelRequest: push.path, at: arrival.milliseconds)
        }
    }

    private typealias Success = (status: UInt16, channelID: String?, body: String)

    private func result(
        of request: ReceivedPush, _ arrival: RequestArrival, with credentials: inout PushValidator.Credentials,
        state: inout State
    ) -> Result<Success, Rejection> {
        guard let channelRequest = ManagementRequest(path: request.path) else { return .failure(Rejection(.badPath)) }
        if request.hasDuplicates { return .failure(Rejection(.duplicateHeaders)) }
        if let reason = validator.authenticate(request.authorization, with: &credentials, atSeconds: arrival.seconds)
            ?? validator.fault(inBundle: channelRequest.app, credentials)
        {
            return .failure(Rejection(reason))
        }
        switch channelRequest.operation(of: request) {
        case .failure(let fault): return .failure(Rejection(fault.reason))
        case .success(let operation):
            if let rejection = state.rules.rejection(ofChannelRequest: request.path, at: arrival.milliseconds) {
                return .failure(rejection)
            }
            return state.channels.carryOut(operation, app: channelRequest.app).mapError { Rejection($0.reason) }
        }
    }
}

extension ChannelStore {
    /// Carries out a valid request. Returns the status, the header `apns-channel-id` and the body of its response.
    fileprivate mutating func carryOut(
        _ operation: ManagementRequest.Operation, app: [UInt8]
    ) -> Result<(status: UInt16, channelID: String?, body: String), ChannelFault> {
        switch operation {
        case .create(let policy):
            guard let id = create(policy, app: app) else { return .failure(ChannelFault(.cannotCreateChannelConfig)) }
            return .success((201, id, ""))
        case .read(let channel):
            guard let policy = findPolicy(of: channel, app: app) else {
                return .failure(ChannelFault(.channelNotRegistered))
            }
            return .success(
                (200, nil, "{\"message-storage-policy\":\(policy.rawValue),\"push-type\":\"LiveActivity\"}"))
        case .list:
            return .success((200, nil, "{\"channels\":[\(all(app: app).map { $0.asJSON }.joined(separator: ","))]}"))
        case .delete(let channel):
            guard delete(channel, app: app) else { return .failure(ChannelFault(.channelNotRegistered)) }
            return .success((204, nil, ""))
        }
    }
}

/// A response of channel management, or to a broadcast push.
struct ChannelResponse: Equatable {
    var status: UInt16
    var requestID: String
    /// The header `apns-channel-id`: the id of a new channel; nil for other responses.
    var channelID: String?
    /// The header `apns-unique-id`; nil if the response is not to a broadcast push that was accepted.
    var uniqueID: String?
    var retryAfter: String?
    var body = ""
    /// Apple's reason; empty for a success.
    private(set) var reason = ""

    init(status: UInt16, requestID: String) {
        self.status = status
        self.requestID = requestID
    }

    /// Makes the response a refusal.
    mutating func refuse(_ rejection: Rejection) {
        status = rejection.status
        body = rejection.body
        retryAfter = rejection.retryAfter
        reason = rejection.reason
    }
}
