public import CarillonCore
import CarillonWire

/// Requests that change a message, or send it again.
extension CarillonClient {
    /// Cancels, pauses, resumes or paces a message, within a second. Returns the state of the message after the update.
    ///
    /// `finished` means that the message had ended before. A scheduled message that is resumed starts now. Pushes that
    /// are on their way to a provider still get their outcome.
    @discardableResult
    public func updateMessage(
        _ message: MessageID,
        app: AppID,
        with messageUpdate: MessageUpdate
    ) async throws(CarillonError) -> MessageState {
        let request = UpdateMessageRequest(app: app, id: message, messageUpdate: messageUpdate)
        return try await self.request(request)
    }

    /// Sends a finished message once more, as a new one with the same content, to those of its devices that ended with
    /// one of `outcomes`. With nil, it goes to all devices that another attempt can help: not to delivered ones, and
    /// not where the token is dead or the device is unregistered.
    ///
    /// Without `notAfter` the time of the old message holds, after which no attempt starts. Once that time is past,
    /// name another one.
    ///
    /// - Throws: `INVALID_ARGUMENT` of the field `outcomes` for an empty list.
    public func resend(
        _ message: MessageID,
        app: AppID,
        to outcomes: [Outcome]? = nil,
        notAfter: Timestamp? = nil,
        key: IdempotencyKey = .random
    ) async throws(CarillonError) -> SendResult {
        if let outcomes, outcomes.isEmpty {
            throw CarillonError(.invalidArgument, field: "outcomes", message: "no outcome is named")
        }
        let request = ResendRequest(
            app: app, id: message, idempotencyKey: key.bytes(core.randomKeys), outcomes: outcomes ?? [],
            notAfter: notAfter)
        return try await self.request(request)
    }
}
