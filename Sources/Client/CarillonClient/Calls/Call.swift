import CarillonCore
import CarillonWire

/// One call of the public API from its beginning to its one result, over as many attempts as are safe.
///
/// A class: its task makes it and hands it over, and then only the event loop of the dispatcher has it. As a value,
/// with all that a request has, it would be copied at each step.
final class Call {
    /// The continuation of the task that made the call. It is not a checked one, whose bookkeeping costs an allocation
    /// a call: `CallDispatcher.begin` and `complete` resume it, and `complete` takes the call out of the table at the
    /// same time.
    typealias Continuation = UnsafeContinuation<Result<CallResult, CarillonError>, Never>

    /// The state of a call that has no result yet (CONTRACT.md, *States of a call*).
    enum State {
        /// The call is in the queue: it waits for a connection, or for room on the open one.
        case waiting
        /// The call is one of `connect`: it waits for a connection or for the end of a round of attempts, in no queue.
        case connecting
        /// The request is given to a connection under an id, and goes out with its next flush; `request` is nil for a
        /// ping.
        case written(on: ClientConnection, request: UInt64?)
        /// The call is out of the queue until its pause is over: after a failed attempt, or before a ping that the
        /// server does not allow yet.
        case pausing
    }

    let kind: CallKind
    /// The time after which the call fails.
    let deadline: Uptime
    let options: CallOptions
    let continuation: Continuation
    /// The uptime at the start of the call, in nanoseconds; 0 if no hook wants it.
    let startedAtNanoseconds: UInt64
    /// True if the task was cancelled before the call began.
    let wasCancelled: Bool
    var state = State.waiting
    /// The worst that the attempts so far can have done.
    private var effect = Effect.notExecuted
    var attempts = 0
    /// The server of the last attempt.
    private(set) var address: CarillonClient.Configuration.Address?
    /// The time of the first attempt and the epoch of its server: the bounds of an idempotency key.
    private var firstSent: (at: Uptime, epoch: UUIDBytes)?
    /// The error of the last attempt; nil before an attempt has failed.
    private(set) var lastError: CarillonError?
    /// True if the call has ended because the server can have forgotten the key of an attempt.
    private var isKeyForgotten = false

    init(
        _ kind: CallKind, deadline: Uptime, options: CallOptions, startedAtNanoseconds: UInt64, wasCancelled: Bool,
        continuation: Continuation
    ) {
        self.kind = kind
        self.deadline = deadline
        self.options = options
        self.startedAtNanoseconds = startedAtNanoseconds
        self.wasCancelled = wasCancelled
        self.continuation = continuation
    }

    var isWaiting: Bool { if case .waiting = state { true } else { false } }

    private var request: PreparedRequest? {
        if case .request(let request) = kind { request } else { nil }
    }

    private var changesState: Bool { request?.changesState ?? false }
    /// True if making the request twice is as good as making it once (Protocol 18, guarantee 2).
    private var isRepeatable: Bool { request?.isRepeatable ?? true }

    /// The number of bytes of the encoded request; 0 if the call sends none.
    var byteCount: Int { request?.encoded.byteCount ?? 0 }

    var operation: String {
        switch kind {
        case .request(let request): request.encoded.opcode.name
        case .ping: "ping"
        case .serverInfo: "hello"
        case .connect: "connect"
        }
    }

    /// Records an attempt that is written to a server of this epoch.
    func attemptWritten(at now: Uptime, epoch: UUIDBytes, to address: CarillonClient.Configuration.Address) {
        attempts += 1
        self.address = address
        if firstSent == nil { firstSent = (now, epoch) }
    }

    /// The step that follows a failed attempt.
    enum RetryAction {
        case tryAgain
        case fail
    }

    /// Records why an attempt failed, and returns whether the call may make another.
    func attemptFailed(_ error: CarillonError, maximumAttempts: Int) -> RetryAction {
        if changesState && error.effect.rawValue > effect.rawValue { effect = error.effect }
        lastError = error
        guard options.isRepeated, error.retryAfter != nil, attempts < maximumAttempts else { return .fail }
        switch error.effect {
        case .notExecuted: return .tryAgain
        case .unknown: return !changesState || isRepeatable ? .tryAgain : .fail
        case .executed: return .fail
        }
    }

    /// The next step of a call when a server is found.
    enum SendAction {
        case send
        /// The server can have forgotten the key of an attempt: it would execute the call twice. The call must end.
        case fail
    }

    /// Decides whether the call may be sent to a server, which remembers idempotency keys for a time.
    func serverFound(_ server: HelloAnswer, at now: Uptime) -> SendAction {
        guard effect == .unknown, request?.key != nil, let firstSent else { return .send }
        isKeyForgotten =
            firstSent.epoch != server.epoch
            || now.milliseconds(since: firstSent.at) >= UInt64(server.limits.idempotencyWindowSeconds) * 1_000
        return isKeyForgotten ? .fail : .send
    }

    /// Returns the error of the last attempt as the caller sees it: with the effect of all attempts.
    func finalError(_ error: CarillonError) -> CarillonError {
        var error = error
        if !changesState {
            error.effect = .notExecuted
        } else if effect.rawValue > error.effect.rawValue {
            error.effect = effect
        }
        error.attempts = attempts
        error.key = request?.key
        error.isRepeatable = isRepeatable && !isKeyForgotten
        return error
    }
}

/// The purpose of a call.
enum CallKind: Sendable {
    case request(PreparedRequest)
    /// A call that measures a round trip.
    case ping
    case serverInfo
    /// A call that connects; it fails after one round of attempts.
    case connect
}

/// The options of one call, and of a client that `CarillonClient.with` has made.
struct CallOptions: Sendable {
    /// The time that the call may take; nil for the time of the configuration.
    var timeout: Duration?
    var isRepeated = true
}

/// The result of a call, by the kind of the call.
enum CallResult: Sendable {
    case answer(AnyAnswer)
    case roundTrip(Duration)
    case serverInfo(ServerInfo)
    case connected
}
