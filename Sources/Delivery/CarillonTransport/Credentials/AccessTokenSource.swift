import CarillonClock
package import CarillonCore
package import CarillonFCM
import CarillonHTTP2
package import CarillonTLS
package import Logging
package import NIOCore
import Synchronization

/// The access tokens of one service account, for all pools that use it: one token, and one request for it at a time.
///
/// `AccessTokenSchedule` decides when a token is requested. The pools are told when a request has ended.
package final class AccessTokenSource: Sendable {
    /// Sends a body to the token endpoint, and returns its answer.
    package typealias Exchange = @Sendable (_ body: [UInt8]) -> EventLoopFuture<SingleResponse>

    private struct State {
        var schedule = AccessTokenSchedule()
        /// The token in use. A secret: never logged.
        var token = ""
        /// The time at which the token in use came. Pushes that were handed out before it had an older token.
        var receivedAt: Uptime = 0
        /// The answer of the token endpoint that refused the service account; nil if it has given a token since.
        var refusal: String?
        var listeners: [ObjectIdentifier: @Sendable () -> Void] = [:]
    }

    private let account: ServiceAccount
    private let key: RSASigningKey
    private let exchange: Exchange
    private let logger: Logger
    private let state = Mutex(State())
    /// True if FCM has refused a token and has accepted none since.
    private let hasRefusedToken = Atomic<Bool>(false)

    /// Requests nothing yet: the first token is requested when it is needed.
    ///
    /// - Parameters:
    ///   - key: the private key of the account.
    ///   - exchange: sends a body to the token endpoint.
    package init(account: ServiceAccount, key: RSASigningKey, logger: Logger, exchange: @escaping Exchange) {
        self.account = account
        self.key = key
        self.exchange = exchange
        self.logger = logger
    }

    /// Calls `body` after each request for a token, whatever its result: pushes may be sent now, or must end.
    func addListener(_ pool: ObjectIdentifier, _ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.listeners[pool] = body }
    }

    /// Ends the calls that `addListener` began.
    func removeListener(_ pool: ObjectIdentifier) {
        state.withLock { $0.listeners[pool] = nil }
    }

    // MARK: Use

    /// Requests a token if one is due.
    ///
    /// - Returns: true if pushes are to be pulled: there is a token, or the service account is refused, and the pushes
    ///   must end because of that.
    func requestTokenIfDue(at now: Moment) -> Bool {
        switch requestIfDue(at: now) {
        case .use, .useAndRequest, .refused: true
        case .request, .wait: false
        }
    }

    func authorization(at now: Moment) throws(PoolTarget.AuthorizationError) -> RequestAuthorization {
        let decision = requestIfDue(at: now)
        let (token, generation, refusal) = state.withLock { ($0.token, $0.schedule.generation, $0.refusal) }
        switch decision {
        case .use, .useAndRequest:
            return RequestAuthorization(value: "Bearer " + token, generation: generation, isIndexed: true)
        case .refused: throw .refused(refusal ?? "refused")
        case .request, .wait: throw .notYet
        }
    }

    /// Requests a token if one is due, and returns whether there is one to use.
    private func requestIfDue(at now: Moment) -> AccessTokenSchedule.Decision {
        let decision = state.withLock { $0.schedule.decide(at: now.uptime) }
        switch decision {
        case .request, .useAndRequest: request(at: now)
        case .use, .wait, .refused: break
        }
        return decision
    }

    /// True if the token endpoint has refused the service account, and has given no token since.
    package var isRefused: Bool { state.withLock { $0.refusal != nil } }

    /// Returns the milliseconds until the token in use ends; nil if no token is in use.
    package func remainingMilliseconds(at now: Uptime) -> UInt64? {
        state.withLock { $0.schedule.remainingMilliseconds(at: now) }
    }

    // MARK: Answers of FCM

    /// Called when FCM has refused the token of a push as invalid or expired.
    ///
    /// - Parameter handedOutAt: when the push was handed out.
    func tokenRefused(handedOutAt: Uptime, at now: Moment) -> AccessTokenSchedule.RefusalAction {
        hasRefusedToken.store(true, ordering: .relaxed)
        let action = state.withLock { state in
            // A push that was handed out before the token came may have been sent with the token before it.
            let isCurrent = handedOutAt > state.receivedAt
            let generation = state.schedule.generation
            return state.schedule.tokenRefused(
                generation: isCurrent ? generation : generation &- 1, at: now.uptime)
        }
        // The next token is requested at once, and not only when there is work.
        _ = requestIfDue(at: now)
        return action
    }

    /// Called when FCM has accepted pushes.
    func tokenAccepted() {
        guard hasRefusedToken.load(ordering: .relaxed) else { return }
        hasRefusedToken.store(false, ordering: .relaxed)
        state.withLock { $0.schedule.tokenAccepted() }
    }

    // MARK: Requests

    private func request(at now: Moment) {
        let assertion = JWTAssertion(account: account, issuedAtSeconds: now.wall.milliseconds / 1_000)
        let input = assertion.signingInput
        do throws(TLSError) {
            let body = JWTAssertion.requestBody(signingInput: input, signature: try key.sign(input))
            exchange(body).whenComplete { [weak self] in self?.requestCompleted($0) }
        } catch {
            requestCompleted(.failure(error))
        }
    }

    private func requestCompleted(_ result: Result<SingleResponse, any Error>) {
        let answer =
            switch result {
            case .success(let answer):
                AccessTokenAnswer(
                    status: answer.status, body: answer.body,
                    retryAfterMilliseconds: answer.retryAfter?.milliseconds(
                        atWallMilliseconds: Clock.wallTime().milliseconds))
            case .failure(let error): AccessTokenAnswer.unavailable("\(error)", afterMilliseconds: nil)
            }
        let now = Clock.uptime()
        let listeners = state.withLock { state in
            let random = Double.random(in: 0...1)
            switch answer {
            case .token(let token, let lifetimeSeconds):
                state.token = token
                state.refusal = nil
                state.receivedAt = now
                state.schedule.tokenReceived(lifetimeSeconds: lifetimeSeconds, at: now, random: random)
            case .refused(let text):
                state.refusal = text
                state.schedule.requestFailed(isRefused: true, at: now, random: random)
            case .unavailable(_, let delayMilliseconds):
                state.schedule.requestFailed(retryAfterMilliseconds: delayMilliseconds, at: now, random: random)
            }
            return Array(state.listeners.values)
        }
        report(answer)
        for listener in listeners { listener() }
    }

    private func report(_ answer: AccessTokenAnswer) {
        let metadata: Logger.Metadata = [
            "account": "\(account.clientEmail)", "endpoint": "\(account.tokenAddress.host)",
        ]
        switch answer {
        case .token: logger.info("an access token was received", metadata: metadata)
        case .refused(let text):
            logger.error(
                "Google refuses the service account",
                metadata: metadata.merging(["reason": "\(text)"]) { $1 })
        case .unavailable(let text, _):
            logger.warning(
                "no access token could be requested; the one in use is kept until it ends",
                metadata: metadata.merging(["error": "\(text)"]) { $1 })
        }
    }
}
