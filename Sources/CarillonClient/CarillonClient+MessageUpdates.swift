public import CarillonCore
import CarillonWire

extension CarillonClient {
    /// Cancels, pauses, resumes or paces a message, within a second. Returns the state of the message after that.
    ///
    /// `finished` means that the message had ended before. A scheduled message that is resumed starts now. Pushes that
    /// are on their way to APNs still get their outcome.
    @discardableResult
    public func updateMessage(
        _ message: MessageID,
        app: AppID,
        _ messageUpdate: MessageUpdate
    ) async throws(CarillonError) -> MessageState {
        let request = UpdateMessageRequest(app: app, id: message, messageUpdate: messageUpdate)
        return try await self.request(request)
    }

    /// Sends a finished message once more, as a new one with the same content, to those of its devices that ended with
    /// one of `outcomes`; with none named to all that another attempt can help: not to delivered ones, and not where
    /// the token is dead or the device is unregistered.
    ///
    /// Without `notAfter` the old one's time holds, after which no attempt starts; once that is past, another must be
    /// named. Without an idempotency key it gets a random one, so that the call can be repeated without sending twice.
    public func resend(
        _ message: MessageID,
        app: AppID,
        to outcomes: [Outcome] = [],
        notAfter: Timestamp? = nil,
        key: UUIDBytes = .zero
    ) async throws(CarillonError) -> Acceptance {
        let request = ResendRequest(
            app: app, id: message, key: key == .zero ? .random() : key, outcomes: outcomes, notAfter: notAfter)
        return try await self.request(request)
    }
}
