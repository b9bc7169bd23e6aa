import CarillonClock
import CarillonCore
import CarillonProvider
import CarillonWebPush
import DequeModule
import Synchronization

/// The deliveries that wait for the connections to one push service: their source of work.
///
/// `WebPushPool` puts each delivery into the queue of its service. A delivery does not wait for a service that is
/// delayed, cannot be reached, or is slow and has its share: it is given back at once, with a time for its next
/// attempt. So a service that is down holds no memory that the others need.
final class PushServiceQueue: DeliverySource {
    /// The queue's pool, as the queue uses it.
    struct Owner: Sendable {
        /// The receiver of the results of deliveries that leave the queue.
        var attemptsEnded: @Sendable (_ results: [AttemptResult]) -> Void
        /// A query that is true if another service accepts the server's key.
        var isKeyProvenElsewhere: @Sendable () -> Bool
        /// A connection has begun to work, or one that worked has ended.
        var connectionChanged: @Sendable (_ isUp: Bool) -> Void
        /// The service refuses the server's key, although others accept it.
        var refusesKey: @Sendable (_ reason: String) -> Void
    }

    fileprivate struct State {
        var gate = PushServiceGate()
        var waiting: [Lane: Deque<Delivery>] = [:]
        /// The number of deliveries that connections have pulled.
        var pulled = 0
        var isReachable = true
        var lastUsed: Uptime
    }

    /// The delay of a service that cannot be reached, in milliseconds.
    private static let unreachableMilliseconds: UInt64 = 60_000
    /// The milliseconds that a delivery may wait here before the service counts as slow.
    fileprivate static let slowMilliseconds: UInt64 = 5_000
    /// The delay of a delivery that a slow service has no room for, in milliseconds.
    private static let noRoomDelayMilliseconds: UInt64 = 10_000

    private let owner: Owner
    private let state: Mutex<State>

    init(_ owner: Owner, at now: Uptime) {
        self.owner = owner
        state = Mutex(State(lastUsed: now))
    }

    var isKeyProven: Bool { state.withLock { $0.gate.isKeyProven } }
    /// True while the service counts as reachable. After a while without a connection it counts as unreachable.
    var isReachable: Bool { state.withLock { $0.isReachable } }
    /// The number of deliveries that wait or have no answer.
    var count: Int { state.withLock { $0.count } }
    /// The time at which the last delivery came.
    var lastUsed: Uptime { state.withLock { $0.lastUsed } }

    /// Adds a delivery, and returns nil. If the service is delayed, cannot be reached, or is slow and has its share,
    /// gives the delivery back: returns its result.
    ///
    /// - Parameter limit: the share of a slow service.
    func append(_ delivery: Delivery, limit: Int, at now: Uptime) -> AttemptResult? {
        state.withLock { state in
            state.lastUsed = now
            let unreachableDelay = state.isReachable ? nil : Self.unreachableMilliseconds
            let delay = state.gate.remainingDelayMilliseconds(at: now) ?? unreachableDelay
            if let delay { return Self.heldBackResult(delivery, afterMilliseconds: delay, reason: "service-delayed") }
            guard state.count < limit || !state.isSlow(at: now) else {
                return Self.heldBackResult(
                    delivery, afterMilliseconds: Self.noRoomDelayMilliseconds, reason: "service-slow")
            }
            state.waiting[delivery.message.lane, default: []].append(delivery)
            return nil
        }
    }

    /// Gives back the deliveries that wait for a service that is slow and has more than its share, so that others have
    /// room.
    func giveBackIfSlow(limit: Int, at now: Uptime) {
        let results: [AttemptResult] = state.withLock { state in
            guard state.count >= limit, state.isSlow(at: now) else { return [] }
            return state.takeAll().map {
                Self.heldBackResult($0, afterMilliseconds: Self.noRoomDelayMilliseconds, reason: "service-slow")
            }
        }
        if !results.isEmpty { owner.attemptsEnded(results) }
    }

    private static func heldBackResult(_ delivery: Delivery, afterMilliseconds delay: UInt64, reason: String)
        -> AttemptResult
    {
        AttemptResult(delivery.attempt, verdict: .tryLater(.heldBack, afterMilliseconds: delay), reason: reason)
    }

    func pull(for pool: PoolKey, _ limits: PullLimits, into deliveries: inout [Delivery]) {
        deliveries += state.withLock { state in
            var found: [Delivery] = []
            // The interactive lane first.
            for (lane, limit) in [(Lane.interactive, limits.interactive), (.bulk, limits.bulk)] {
                var left = min(limit, limits.all - found.count)
                while left > 0, let delivery = state.waiting[lane]?.popFirst() {
                    found.append(delivery)
                    left -= 1
                }
            }
            state.pulled += found.count
            return found
        }
    }

    func hasWork(for pool: PoolKey) -> Bool { state.withLock { $0.hasWaiting } }

    /// Gives results to the pool, as the gate of the service judges them. The deliveries that wait follow if the
    /// service is delayed or refuses the key.
    func attemptsEnded(_ results: [AttemptResult], for pool: PoolKey) {
        let isProvenElsewhere = owner.isKeyProvenElsewhere()
        let now = Clock.uptime()
        var refusal: String?
        let judged = state.withLock { state in
            state.pulled -= results.count
            return results.map { result in
                let verdict = state.gate.judge(
                    result.verdict, status: result.status, isKeyProvenElsewhere: isProvenElsewhere,
                    handedOutAt: result.attempt.handedOutAt, at: now)
                if result.verdict == .credentialRefused, verdict != result.verdict {
                    refusal = result.reason ?? "\(result.status)"
                }
                return verdict == result.verdict ? result : AttemptResult(result, as: verdict)
            }
        }
        if let refusal { owner.refusesKey(refusal) }
        owner.attemptsEnded(judged)
        // Deliveries that wait for a delayed service, or for another key, must not be sent.
        giveBack(isKeyRefused: judged.contains { $0.verdict == .credentialRefused }, at: now)
    }

    private func giveBack(isKeyRefused: Bool, at now: Uptime) {
        let results: [AttemptResult] = state.withLock { state in
            guard !isKeyRefused else {
                return state.takeAll().map {
                    AttemptResult($0.attempt, verdict: .notProcessed, reason: "credential-refused")
                }
            }
            guard let delay = state.gate.remainingDelayMilliseconds(at: now) else { return [] }
            return state.takeAll().map { Self.heldBackResult($0, afterMilliseconds: delay, reason: "service-delayed") }
        }
        if !results.isEmpty { owner.attemptsEnded(results) }
    }

    // The key is judged by answers alone.
    func credentialRefused(of pool: PoolKey, reason: String, reportedBy identity: ObjectIdentifier) {}

    /// Gives back the deliveries that wait if the service cannot be reached: they would take the room of the others.
    func reachabilityChanged(of pool: PoolKey, isReachable: Bool, reportedBy identity: ObjectIdentifier) {
        let results: [AttemptResult] = state.withLock { state in
            state.isReachable = isReachable
            guard !isReachable else { return [] }
            return state.takeAll().map {
                Self.heldBackResult($0, afterMilliseconds: Self.unreachableMilliseconds, reason: "service-unreachable")
            }
        }
        if !results.isEmpty { owner.attemptsEnded(results) }
    }

    func connectionChanged(of pool: PoolKey, isUp: Bool) { owner.connectionChanged(isUp) }

    /// Gives back the deliveries that wait: the pool closes.
    func close() {
        let results = state.withLock { state in
            state.takeAll().map { AttemptResult($0.attempt, verdict: .notProcessed, reason: "pool-closed") }
        }
        if !results.isEmpty { owner.attemptsEnded(results) }
    }
}

extension PushServiceQueue.State {
    fileprivate var hasWaiting: Bool { waiting.values.contains { !$0.isEmpty } }
    fileprivate var count: Int { pulled + waiting.values.reduce(0) { $0 + $1.count } }

    /// Returns true if the first delivery of a lane has waited for too long.
    fileprivate func isSlow(at now: Uptime) -> Bool {
        waiting.values.contains { lane in
            lane.first.map { now.milliseconds(since: $0.handedOutAt) >= PushServiceQueue.slowMilliseconds } ?? false
        }
    }

    fileprivate mutating func takeAll() -> [Delivery] {
        let all = Lane.allCases.flatMap { waiting[$0] ?? [] }
        waiting.removeAll(keepingCapacity: true)
        return all
    }
}

extension AttemptResult {
    /// Copies a result, with another verdict.
    fileprivate init(_ other: AttemptResult, as verdict: Verdict) {
        self.init(
            other.attempt, verdict: verdict, status: other.status, reason: other.reason, connection: other.connection)
    }
}
