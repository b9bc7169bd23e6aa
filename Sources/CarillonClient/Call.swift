import CarillonCore
import CarillonWire

/// What a caller wants of the connection.
enum Operation: Sendable {
    case request(Request)
    /// A round trip.
    case ping
    /// What the server says of itself.
    case information
}

/// What a caller gets.
enum Reply: Sendable {
    case response(Response)
    case roundTrip(Duration)
    case information(ServerInformation)
}

/// One call of the public API from its beginning to its one result, over as many tries as are safe.
struct Call {
    /// Where the call stands.
    enum Stage {
        /// In the queue for a connection.
        case waiting
        /// Out of the queue until a retry is due.
        case pausing
        /// On a connection, under that request id; nothing for a ping.
        case sent(ClientConnection, UInt64?)
    }

    let operation: Operation
    /// Uptime in milliseconds.
    let deadline: UInt64
    let continuation: CheckedContinuation<Result<Reply, CarillonError>, Never>
    var stage = Stage.waiting
    /// The worst that the tries so far can have done.
    var effect = Effect.notExecuted
    var tries = 0
    /// When and to which server it was first sent: the bounds of an idempotency key.
    var firstSent: (at: UInt64, epoch: UUIDBytes)?
    /// Why the last try failed.
    var lastError: CarillonError?

    /// Whether the call changes anything on the server.
    var hasEffect: Bool {
        guard case .request(let request) = operation else { return false }
        return switch request {
        case .register, .registerBatch, .unregister, .send, .updateDevice, .join, .leave, .switchGroup, .updateGroup,
            .subscribe, .unsubscribe, .restore, .updateMessage, .resend, .receipts, .subscribeEvents, .eventCredit,
            .unsubscribeEvents:
            true
        case .hello, .authenticate, .lookup, .memberships, .groupDevices, .groups, .groupTopics, .topics, .topicDevices,
            .explain, .messageStatus, .messageOutcomes, .quarantine, .messages, .receiptDevices, .statistics,
            .devices:
            false
        }
    }

    /// Whether making it twice is as good as making it once (Protocol 12, guarantee 2).
    ///
    /// Changes of groups and topics say how things shall be: made twice, only what they report to have changed differs,
    /// and an announcement goes out at the first time only, when somebody is new in the group.
    var isRepeatable: Bool {
        guard case .request(let request) = operation else { return true }
        return switch request {
        case .register(let registration): registration.seenAt != .zero
        // Why: items of our own making are all there.
        case .registerBatch(let items): items.allSatisfy { (try? $0.get().seenAt) != .zero }
        case .unregister(let unregistration): unregistration.at != .zero
        case .send(let message): message.key != .zero
        case .resend(let resend): resend.key != .zero
        // A second resume would start a message that the first has put back on its schedule.
        case .updateMessage(let it): it.messageUpdate != .resume
        // A subscription is of one connection.
        case .subscribeEvents, .eventCredit, .unsubscribeEvents: false
        case .hello, .authenticate, .lookup, .updateDevice, .memberships, .join, .leave, .switchGroup, .groupDevices,
            .groups, .updateGroup, .groupTopics, .subscribe, .unsubscribe, .topics, .topicDevices, .explain,
            .messageStatus, .messageOutcomes, .restore, .quarantine, .messages, .receipts, .receiptDevices, .statistics,
            .devices:
            true
        }
    }

    private var hasKey: Bool {
        switch operation {
        case .request(.send), .request(.resend): true
        default: false
        }
    }

    /// Takes note of a try that failed; answers after how many milliseconds to try again, or nothing for never.
    mutating func failed(_ error: CarillonError, pause: UInt64, at now: UInt64) -> UInt64? {
        let wasSafe = error.effect == .notExecuted || !hasEffect
        if hasEffect && error.effect.rawValue > effect.rawValue { effect = error.effect }
        lastError = error
        guard let retryAfter = error.retryAfter, wasSafe || (error.effect == .unknown && isRepeatable) else {
            return nil
        }
        let delay = max(retryAfter.milliseconds, pause)
        return now + delay < deadline ? delay : nil
    }

    /// Whether the server that `welcome` describes would still know the idempotency key of an earlier try.
    func mayRepeat(at now: UInt64, to welcome: Welcome) -> Bool {
        guard effect == .unknown, hasKey, let firstSent else { return true }
        return firstSent.epoch == welcome.epoch
            && now - firstSent.at < UInt64(welcome.idempotencyWindowSeconds) * 1_000
    }

    /// The error of the last try as the caller sees it: with the effect of all tries.
    func final(_ error: CarillonError) -> CarillonError {
        var error = error
        if !hasEffect {
            error.effect = .notExecuted
        } else if effect.rawValue > error.effect.rawValue {
            error.effect = effect
        }
        return error
    }
}

extension Duration {
    /// Whole milliseconds, held between 0 and some thirty years.
    var milliseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        return seconds < 1_000_000_000 ? UInt64(seconds) * 1_000 + UInt64(attoseconds / 1_000_000_000_000_000) : 1 << 40
    }
}
