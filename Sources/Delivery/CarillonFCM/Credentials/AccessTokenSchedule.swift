package import CarillonCore

/// Decides when an access token is requested, and whether the present one may be used.
///
/// One schedule, and so one token and one request at a time, serves all connections of a service account. A new token
/// is requested some minutes ahead, and each server chooses another minute. While that fails, the old token is used
/// until it ends: an outage of the token endpoint is no outage of FCM.
package struct AccessTokenSchedule: Hashable, Sendable {
    /// The durations, in milliseconds.
    package struct Limits: Hashable, Sendable {
        /// The shortest time before the end of a token at which the next is requested.
        package var minimumAheadMilliseconds: UInt64 = 240_000
        /// The longest random time by which the request is earlier, so that many servers do not ask at once.
        package var spreadMilliseconds: UInt64 = 360_000
        /// The last part of a token's life, in which it is not used: it would end on its way.
        package var marginMilliseconds: UInt64 = 5_000
        /// The time after which a request without an answer counts as failed.
        package var requestTimeoutMilliseconds: UInt64 = 20_000
        /// The longest delay after the first failure; it doubles with each further one. Half of a delay is random.
        package var firstDelayMilliseconds: UInt64 = 1_000
        /// The longest delay after failures.
        package var longestDelayMilliseconds: UInt64 = 60_000
        /// The longest delay after Google has refused the service account.
        package var refusalDelayMilliseconds: UInt64 = 300_000
        /// The shortest time between two requests for a token in place of a refused one. If a single front end of FCM
        /// refuses good tokens, each of its answers would otherwise cause a request.
        package var minimumReplacementIntervalMilliseconds: UInt64 = 10_000
        /// The longest delay that the token endpoint can ask for.
        package var retryAfterMilliseconds: UInt64 = 600_000

        package init() {}
    }

    /// The action that is due now.
    package enum Decision: Hashable, Sendable {
        case use
        case useAndRequest
        /// There is no token: request one; pushes wait.
        case request
        /// There is no token, and one is requested, or will be at that time; pushes wait.
        case wait(until: Uptime)
        /// There is no token, and Google refuses the service account; the next request is due at that time.
        case refused(until: Uptime)
    }

    /// The action after FCM has refused a token.
    package enum RefusalAction: Hashable, Sendable {
        /// The refused token has been replaced already, or will be: try again with the new one.
        case renew
        /// The refused token was itself made because FCM had refused the one before. Another one would not help: the
        /// service account is of no use.
        case refuseCredential
    }

    private let limits: Limits
    /// The number of the token: 1 for the first, one more for each that follows; 0 before the first.
    package private(set) var generation: UInt64 = 0
    /// The time at which the token ends; nil if no token is in use.
    private var endsAt: Uptime?
    /// The time at which the next token is requested, with the token in use.
    private var renewsAt: Uptime = 0
    /// The time at which the request in flight was made; nil if none is in flight.
    private var requestedAt: Uptime?
    /// The time before which no token is requested, because a request has failed or a token was replaced just before.
    private var notBefore: Uptime = 0
    private var failures: UInt64 = 0
    private var isRefusedByGoogle = false
    /// True if the token replaces one that FCM has refused, and FCM has accepted none since.
    private var isReplacement = false
    /// The time before which a token that FCM refuses is not replaced.
    private var nextReplacement: Uptime = 0

    package init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// Decides what to do; a request that is asked for counts as made.
    package mutating func decide(at now: Uptime) -> Decision {
        if let requestedAt, now.milliseconds(since: requestedAt) >= limits.requestTimeoutMilliseconds {
            requestFailed(at: now, random: 1)
        }
        let isUsable = endsAt.map { now.later(byMilliseconds: limits.marginMilliseconds) < $0 } ?? false
        let isDue = requestedAt == nil && now >= notBefore && (!isUsable || now >= renewsAt)
        if isDue { requestedAt = now }
        if isUsable { return isDue ? .useAndRequest : .use }
        if isDue { return .request }
        if isRefusedByGoogle, requestedAt == nil { return .refused(until: notBefore) }
        return .wait(until: requestedAt?.later(byMilliseconds: limits.requestTimeoutMilliseconds) ?? notBefore)
    }

    /// Called when a token has come.
    ///
    /// - Parameters:
    ///   - lifetimeSeconds: the lifetime that the answer names; it counts from the request, because the answer may
    ///     have taken long.
    ///   - random: 0 to 1.
    package mutating func tokenReceived(lifetimeSeconds: UInt64, at now: Uptime, random: Double) {
        let start = requestedAt ?? now
        let (lifetimeMilliseconds, overflow) = lifetimeSeconds.multipliedReportingOverflow(by: 1_000)
        let end = start.later(byMilliseconds: overflow ? .max : lifetimeMilliseconds)
        // A token with a short life is renewed in the second half of it.
        let ahead = Double(limits.minimumAheadMilliseconds) + Double(limits.spreadMilliseconds) * min(max(random, 0), 1)
        renewsAt = end.earlier(byMilliseconds: min(UInt64(ahead), lifetimeMilliseconds / 2))
        endsAt = end
        generation += 1
        requestedAt = nil
        notBefore = 0
        failures = 0
        isRefusedByGoogle = false
    }

    /// Called when a request for a token has failed, or its answer cannot be used.
    ///
    /// - Parameters:
    ///   - isRefused: true if Google refuses the service account (`AccessTokenAnswer.refused`).
    ///   - retryAfterMilliseconds: the delay that the endpoint asks for; nil if it asks for none.
    ///   - random: 0 to 1, spreads the requests.
    package mutating func requestFailed(
        isRefused: Bool = false, retryAfterMilliseconds: UInt64? = nil, at now: Uptime, random: Double
    ) {
        requestedAt = nil
        failures += 1
        isRefusedByGoogle = isRefused
        let doubled = limits.firstDelayMilliseconds << min(failures - 1, 16)
        let longest = isRefused ? limits.refusalDelayMilliseconds : min(doubled, limits.longestDelayMilliseconds)
        let spread = Double(longest) / 2 * (1 + min(max(random, 0), 1))
        let requestedMilliseconds = min(retryAfterMilliseconds ?? 0, limits.retryAfterMilliseconds)
        notBefore = now.later(byMilliseconds: max(UInt64(spread), requestedMilliseconds))
    }

    /// Called when FCM has refused a token as invalid or expired (401 without `THIRD_PARTY_AUTH_ERROR`).
    ///
    /// - Parameter refused: the generation of the token that the request had.
    package mutating func tokenRefused(generation refused: UInt64, at now: Uptime) -> RefusalAction {
        // Many requests have the same token: only the first refusal counts.
        guard refused == generation, endsAt != nil else { return .renew }
        endsAt = nil
        notBefore = max(notBefore, nextReplacement)
        nextReplacement = max(now, notBefore).later(byMilliseconds: limits.minimumReplacementIntervalMilliseconds)
        guard isReplacement else {
            isReplacement = true
            return .renew
        }
        return .refuseCredential
    }

    /// Called when FCM has accepted a request with the token in use.
    package mutating func tokenAccepted() {
        isReplacement = false
    }

    /// Returns the milliseconds until the token in use ends; nil if no token is in use.
    package func remainingMilliseconds(at now: Uptime) -> UInt64? {
        endsAt.map { $0.milliseconds(since: now) }
    }
}
