public import CarillonCore
import CarillonWire

/// Requests that send, show and change messages, and show their outcomes.
extension CarillonClient {
    /// Sends a message. The message is durable when this returns; unless it is scheduled, its delivery has begun.
    ///
    /// The result of a dry run has the id 0, and `total` is the number of devices that would get the message.
    ///
    /// - Parameter key: the idempotency key, used if the message itself has none.
    /// - Throws: `.invalidArgument` of the field `audience` for an empty list of devices or groups.
    public func send(
        _ message: Message, key: IdempotencyKey = .random
    ) async throws(CarillonError) -> SendResult {
        try await request(
            prepared: PreparedRequest(sending: message, key: key, randomKeys: shared.randomKeys), of: Message.self)
    }

    /// Returns the state of a message and its counts by outcome.
    public func status(of message: MessageID, app: AppID) async throws(CarillonError) -> MessageStatus {
        let query = MessageStatusRequest(app: app, id: message)
        return try await request(query)
    }

    /// Returns one page of the messages of an app, the newest first: at most `limit` (1 to 1,000) older than `cursor`.
    ///
    /// `state`, `sender` and `label` select messages in that state, of that principal, and with a label that begins
    /// with that text. The server looks at 4,096 messages for one page, so such a page may have few rows, or none, even
    /// though it has a `next`.
    public func messages(
        of app: AppID,
        before cursor: MessageID?,
        limit: Int = 1_000,
        state: MessageState? = nil,
        sender: String? = nil,
        label: String? = nil
    ) async throws(CarillonError) -> Page<MessageSummary, MessageID> {
        let query = MessagesRequest(
            app: app, before: cursor?.rawValue ?? 0, limit: Self.pageLimit(limit),
            filter: MessageFilter(state: state, sender: sender, labelPrefix: label))
        let page = try await request(query)
        return Page(rows: page.messages, next: page.next == 0 ? nil : MessageID(rawValue: page.next))
    }

    /// Returns the messages of an app, the newest first; fetched as they are consumed.
    ///
    /// `state`, `sender` and `label` select messages in that state, of that principal, and with a label that begins
    /// with that text.
    public func messages(
        of app: AppID,
        state: MessageState? = nil,
        sender: String? = nil,
        label: String? = nil
    ) -> Listing<MessageSummary, MessageID> {
        Listing { cursor throws(CarillonError) in
            try await self.messages(of: app, before: cursor, state: state, sender: sender, label: label)
        }
    }

    /// Explains why a device did or did not get a message. Throws `.notFound` for an unknown message or
    /// device.
    public func trace(
        _ message: MessageID,
        device: DeviceReference,
        app: AppID
    ) async throws(CarillonError) -> MessageTrace {
        try await request(TraceRequest(app: app, id: message, device: device))
    }

    /// Returns one page of a message's recipients with their outcomes: at most `limit` (1 to 1,000) from `cursor` on.
    public func outcomes(
        of message: MessageID,
        app: AppID,
        from cursor: UInt64?,
        limit: Int = 1_000
    ) async throws(CarillonError) -> Page<RecipientOutcome, UInt64> {
        let query = MessageOutcomesRequest(app: app, id: message, cursor: cursor ?? 0, limit: Self.pageLimit(limit))
        let page = try await request(query)
        return Page(rows: page.recipients, next: page.next == 0 ? nil : page.next)
    }

    /// Returns all recipients of a message with their outcomes, fetched as they are consumed.
    ///
    /// ```swift
    /// for try await recipient in client.outcomes(of: message, app: app) where recipient.outcome != .delivered {
    ///     print(recipient.outcome)
    /// }
    /// ```
    public func outcomes(of message: MessageID, app: AppID) -> Listing<RecipientOutcome, UInt64> {
        Listing { cursor throws(CarillonError) in
            try await self.outcomes(of: message, app: app, from: cursor)
        }
    }

    /// Waits until every device of a message has its outcome; throws `.noAnswer` if that takes longer than
    /// `timeout`.
    ///
    /// It asks the server at once, again after 20 ms, and then at growing intervals of up to 2 s.
    public func waitUntilFinished(
        _ message: MessageID,
        app: AppID,
        timeout: Duration = .seconds(60)
    ) async throws(CarillonError) -> MessageStatus {
        let end = ContinuousClock.now + timeout
        var pause = Duration.milliseconds(20)
        while true {
            let status = try await status(of: message, app: app)
            if status.state == .finished { return status }
            let left = ContinuousClock.now.duration(to: end)
            guard left > .zero else {
                throw CarillonError(
                    .noAnswer, retryAfter: .zero, message: "message \(message) has not finished in time")
            }
            do {
                try await Task.sleep(for: min(pause, left))
            } catch {
                throw .taskCancelled
            }
            pause = min(pause * 2, .seconds(2))
        }
    }

    /// Cancels, pauses, resumes or paces a message, and returns its state after the update. The update takes effect
    /// within a second.
    ///
    /// `.finished` means that the message had already ended. Resuming a scheduled message starts it now. Pushes that
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

    /// Sends a finished message again, as a new message with the same content, to those of its devices that ended with
    /// one of `outcomes`. With nil, it goes to every device that another attempt can help. Those are not the devices
    /// that got the message, are unregistered, or have a dead token.
    ///
    /// No attempt starts after `notAfter`; nil means the time of the old message. If that time is past, pass a new one.
    ///
    /// - Throws: `.invalidArgument` of the field `outcomes` for an empty list.
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
            app: app, id: message, idempotencyKey: key.bytes(shared.randomKeys), outcomes: outcomes ?? [],
            notAfter: notAfter)
        return try await self.request(request)
    }
}

extension PreparedRequest {
    /// Makes the SEND of a message.
    ///
    /// - Parameters:
    ///   - key: the idempotency key of a message that has none itself.
    ///   - randomKeys: those of the client.
    /// - Throws: `.invalidArgument` of the field `audience` for an empty list of devices or groups.
    init(
        sending message: consuming Message, key: IdempotencyKey, randomKeys: RandomKeys
    ) throws(CarillonError) {
        if message.audience.isEmpty {
            throw CarillonError(.invalidArgument, field: "audience", message: "the audience is empty")
        }
        message.idempotencyKey = message.idempotencyKey?.nonzero ?? key.bytes(randomKeys)
        self.init(message)
    }
}

extension Audience {
    /// True if the audience is an empty list.
    fileprivate var isEmpty: Bool {
        switch self {
        case .devices(let devices): devices.isEmpty
        case .groups(let groups): groups.isEmpty
        case .topic, .condition, .all, .channel: false
        }
    }
}
