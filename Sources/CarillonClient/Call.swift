import CarillonCore
import CarillonWire

/// An order of a caller.
enum Command: Sendable {
    case request(any Operation)
    /// Measure a round trip.
    case ping
    /// Return the description of the server.
    case information
}

/// The result of an order.
enum CallResult: Sendable {
    case answer(AnyAnswer)
    case roundTrip(Duration)
    case information(ServerInformation)
}

/// One call of the public API from its beginning to its one result, over as many attempts as are safe.
struct Call {
    /// Where the call is.
    enum State {
        /// In the queue for a connection.
        case queued
        /// Out of the queue until a retry is due.
        case backingOff
        /// On a connection, under that request id; nil for a ping.
        case sent(ClientConnection, UInt64?)
    }

    let command: Command
    /// The time after which it fails.
    let deadline: Uptime
    let continuation: CheckedContinuation<Result<CallResult, CarillonError>, Never>
    /// True if the request changes anything on the server.
    let hasEffect: Bool
    var state = State.queued
    /// The worst that the attempts so far can have done.
    var effect = Effect.notExecuted
    var attempts = 0
    /// When and to which server it was first sent: the bounds of an idempotency key.
    var firstSent: (at: Uptime, epoch: UUIDBytes)?
    /// Why the last attempt failed.
    var lastError: CarillonError?

    init(
        _ command: Command, deadline: Uptime,
        _ continuation: CheckedContinuation<Result<CallResult, CarillonError>, Never>
    ) {
        self.command = command
        self.deadline = deadline
        self.continuation = continuation
        hasEffect = if case .request(let request) = command { type(of: request).rules.effect != .none } else { false }
    }

    /// True if making the request twice is as good as making it once (Protocol 12, guarantee 2).
    private var isRepeatable: Bool {
        if case .request(let request) = command { request.isRepeatable } else { true }
    }

    private var hasIdempotencyKey: Bool {
        if case .request(let request) = command { request.idempotencyKey != nil } else { false }
    }

    /// Records an attempt that failed; returns after how many milliseconds to try again, or nil if that is not safe or
    /// cannot help.
    mutating func attemptFailed(_ error: CarillonError, pause: UInt64, at now: Uptime) -> UInt64? {
        let wasSafe = error.effect == .notExecuted || !hasEffect
        if hasEffect && error.effect.rawValue > effect.rawValue { effect = error.effect }
        lastError = error
        guard let retryAfter = error.retryAfter, wasSafe || (error.effect == .unknown && isRepeatable) else {
            return nil
        }
        let delay = max(retryAfter.milliseconds, pause)
        return now + delay < deadline ? delay : nil
    }

    /// Returns true if the server that `helloAnswer` describes would still know the idempotency key of an earlier attempt.
    func mayRepeat(at now: Uptime, to helloAnswer: HelloAnswer) -> Bool {
        guard effect == .unknown, hasIdempotencyKey, let firstSent else { return true }
        return firstSent.epoch == helloAnswer.epoch
            && now - firstSent.at < UInt64(helloAnswer.idempotencyWindowSeconds) * 1_000
    }

    /// The error of the last attempt as the caller sees it: with the effect of all attempts.
    func finalError(_ error: CarillonError) -> CarillonError {
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
    /// Whole milliseconds, clamped between 0 and some thirty years.
    var milliseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        return seconds < 1_000_000_000 ? UInt64(seconds) * 1_000 + UInt64(attoseconds / 1_000_000_000_000_000) : 1 << 40
    }
}
