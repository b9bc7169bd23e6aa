import CarillonAPNs
import CarillonCore
import CarillonWire

/// Broadcast channels (Protocol 14). APNs keeps them, and the server asks APNs about them.
extension RequestRunner {
    /// Asks APNs for a new broadcast channel of the app (CREATE_CHANNEL).
    func createChannel(_ creation: CreateChannelRequest, for execution: Execution) {
        let line = audit.makeLine(of: creation, by: execution.client)
        askAPNs(.create(creation.storagePolicy), of: creation.app, in: creation.environment, for: execution) { answer in
            guard case .created(let channel) = answer else { return nil }
            line?.write(channel: channel)
            return EncodedAnswer(channel, to: CreateChannelRequest.self)
        }
    }

    /// Asks APNs whether a broadcast channel exists, and for its storage policy (CHANNEL).
    func readChannel(_ request: ChannelRequest, for execution: Execution) {
        askAPNs(.read(request.channel), of: request.app, in: request.environment, for: execution) { answer in
            guard case .policy(let policy) = answer else { return nil }
            return EncodedAnswer(policy, to: ChannelRequest.self)
        }
    }

    /// Asks APNs for all broadcast channels of the app (CHANNELS).
    func listChannels(_ listing: ChannelsRequest, for execution: Execution) {
        askAPNs(.list, of: listing.app, in: listing.environment, for: execution) { answer in
            guard case .channels(let channels) = answer else { return nil }
            let page = ChannelPage(of: channels, after: listing.after, limit: Int(listing.limit))
            return EncodedAnswer(page, to: ChannelsRequest.self)
        }
    }

    /// Asks APNs to delete a broadcast channel (DELETE_CHANNEL).
    func deleteChannel(_ deletion: DeleteChannelRequest, for execution: Execution) {
        let line = audit.makeLine(of: deletion, by: execution.client)
        let request = ChannelManagementRequest.delete(deletion.channel)
        askAPNs(request, of: deletion.app, in: deletion.environment, for: execution, ifUnknown: Self.noChannelDeleted) {
            answer in
            guard case .deleted = answer else { return nil }
            line?.write(channel: deletion.channel)
            return EncodedAnswer(true, to: DeleteChannelRequest.self)
        }
    }

    /// The answer to a DELETE_CHANNEL of a channel that APNs does not know: it may be the repetition of one whose
    /// answer was lost.
    private static let noChannelDeleted = EncodedAnswer(false, to: DeleteChannelRequest.self)

    /// Asks APNs for a request of a client.
    ///
    /// - Parameters:
    ///   - unknown: the answer if APNs says that there is no such channel; nil if the request then fails. A text that
    ///     is no id of a channel fails always.
    ///   - makeAnswer: makes the answer of the client's request; nil if APNs' answer belongs to another kind of
    ///     request.
    private func askAPNs(
        _ request: ChannelManagementRequest, of app: AppID, in environment: APNsEnvironment, for execution: Execution,
        ifUnknown unknown: EncodedAnswer? = nil, _ makeAnswer: @escaping @Sendable (ChannelAnswer) -> EncodedAnswer?
    ) {
        let complete = execution.complete
        let isSent = channels.send(request, of: app, in: environment, deadline: execution.deadline) { result in
            switch result {
            case .success(let channelAnswer):
                complete(makeAnswer(channelAnswer).map(Result.success) ?? .failure(.unexpectedAnswer))
            case .failure(let failure):
                if let unknown, failure.kind == .noSuchChannel { return complete(.success(unknown)) }
                complete(.failure(RequestError(failure)))
            }
        }
        guard !isSent else { return }
        complete(
            .failure(
                RequestError(
                    .invalidArgument, message: "no credential of the app is for \(environment.name)",
                    field: "environment")))
    }
}

extension RequestError {
    /// The milliseconds after which a request may be made again if APNs did not say.
    private static let defaultDelayMilliseconds: UInt32 = 1_000

    fileprivate init(_ failure: ChannelManagementError) {
        let advice = RetryAdvice.after(
            milliseconds: failure.afterMilliseconds.map { UInt32(clamping: min($0, Milliseconds.perDay)) }
                ?? Self.defaultDelayMilliseconds)
        switch failure.kind {
        case .noSuchChannel, .invalidChannelID:
            self.init(
                .notFound, message: "APNs knows no such channel of the app in this environment", field: "channel",
                reason: failure.reason)
        case .refused:
            self.init(.apnsRefused, message: "APNs refuses the request: \(failure.reason)", reason: failure.reason)
        case .unavailable:
            self.init(
                .apnsUnavailable, effect: failure.effect, retry: advice,
                message: "APNs has not answered the request: \(failure.reason)", reason: failure.reason)
        case .overloaded:
            self.init(
                .overloaded, retry: advice, message: "too many requests about channels wait for APNs")
        case .late: self = .deadlinePassed
        }
    }
}
