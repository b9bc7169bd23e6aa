import CarillonClock
import CarillonCore
import CarillonProvider
import Synchronization

/// The source of work for the main group of a pool. Pushes that were in flight when connections ended stay here for the
/// isolated group. `Isolation` decides.
///
/// It stands between the delivery engine and the connections, because both groups pull the same work. When the main
/// group pulls, suspicious pushes are taken out of the batch and kept here, and the isolated group is woken. When no
/// push is suspicious, which is nearly always, a pull costs one atomic load more than without it.
final class IsolatingSource: DeliverySource {
    private let source: any DeliverySource
    private let pool: PoolKey
    private let isolation = Mutex(Isolation())
    /// True if `isolation` has something to do. It is checked in each cycle, and nearly never true.
    private let isWatching = Atomic<Bool>(false)
    private let onDiverted = Mutex<(@Sendable () -> Void)?>(nil)

    init(_ source: any DeliverySource, pool: PoolKey) {
        self.source = source
        self.pool = pool
    }

    /// Calls `body` whenever there is work for the isolated group.
    func whenDiverted(_ body: (@Sendable () -> Void)?) { onDiverted.withLock { $0 = body } }

    /// True if there is work for the isolated group.
    private var hasWaiting: Bool { isWatching.load(ordering: .relaxed) && isolation.withLock { $0.hasWaiting } }

    func pull(for pool: PoolKey, _ limits: PullLimits, into deliveries: inout [Delivery]) {
        guard isWatching.load(ordering: .relaxed) else {
            return source.pull(for: pool, limits, into: &deliveries)
        }
        var hasDiverted = false
        var found: [Delivery] = []
        // Pushes that are diverted leave room for others; a few attempts are enough, the next cycle pulls again.
        for _ in 0..<4 where found.count < limits.all {
            var more: [Delivery] = []
            source.pull(for: pool, limits.reduced(by: found.count), into: &more)
            let isDiverting = withIsolation { $0.divert(&more, at: Clock.uptime()) }
            found += more
            guard isDiverting else { break }
            hasDiverted = true
        }
        deliveries += found
        if hasDiverted { onDiverted.withLock { $0 }?() }
    }

    func attemptsEnded(_ results: [AttemptResult], for pool: PoolKey) {
        if isWatching.load(ordering: .relaxed) { withIsolation { $0.pushesAnswered(results) } }
        source.attemptsEnded(results, for: pool)
    }

    func hasWork(for pool: PoolKey) -> Bool { source.hasWork(for: pool) }

    func credentialRefused(of pool: PoolKey, reason: String, reportedBy identity: ObjectIdentifier) {
        source.credentialRefused(of: pool, reason: reason, reportedBy: identity)
    }

    func reachabilityChanged(of pool: PoolKey, isReachable: Bool, reportedBy identity: ObjectIdentifier) {
        source.reachabilityChanged(of: pool, isReachable: isReachable, reportedBy: identity)
    }

    func connectionChanged(of pool: PoolKey, isUp: Bool) { source.connectionChanged(of: pool, isUp: isUp) }

    /// Takes the attempts that had no answer when a connection has ended, not by Carillon's decision. Called before
    /// they are given back.
    func connectionEnded(unanswered attempts: [Attempt]) {
        guard !attempts.isEmpty else { return }
        withIsolation { $0.connectionEnded(unanswered: attempts, at: Clock.uptime()) }
    }

    /// Gives back the pushes that have waited too long for the isolated connection. Called about once a second.
    func giveBackOverdue() {
        guard isWatching.load(ordering: .relaxed) else { return }
        giveBack(withIsolation { $0.removeOverdue(at: Clock.uptime()) }, reason: "isolation-timeout")
    }

    /// Gives back all waiting pushes, and diverts no more.
    func close() {
        whenDiverted(nil)
        giveBack(withIsolation { $0.close() }, reason: "pool-closed")
    }

    private func giveBack(_ deliveries: [Delivery], reason: String) {
        guard !deliveries.isEmpty else { return }
        source.attemptsEnded(
            deliveries.map { AttemptResult($0.attempt, verdict: .notProcessed, reason: reason) }, for: pool)
    }

    private func withIsolation<R: Sendable>(_ body: (inout sending Isolation) -> R) -> R {
        isolation.withLock { isolation in
            let result = body(&isolation)
            isWatching.store(!isolation.isIdle, ordering: .relaxed)
            return result
        }
    }

    // MARK: The isolated group

    /// The source of work for the isolated group: the pushes that were diverted.
    struct DivertedPushes: DeliverySource {
        let source: IsolatingSource

        func pull(for pool: PoolKey, _ limits: PullLimits, into deliveries: inout [Delivery]) {
            let now = Clock.uptime()
            let (next, overdue) = source.isolation.withLock { $0.dequeue(limits.all, at: now) }
            deliveries += next
            source.giveBack(overdue, reason: "isolation-timeout")
        }

        func attemptsEnded(_ results: [AttemptResult], for pool: PoolKey) {
            source.withIsolation { $0.isolatedPushesReturned(results.count) }
            source.attemptsEnded(results, for: pool)
        }

        func hasWork(for pool: PoolKey) -> Bool { source.hasWaiting }

        func credentialRefused(of pool: PoolKey, reason: String, reportedBy identity: ObjectIdentifier) {
            source.credentialRefused(of: pool, reason: reason, reportedBy: identity)
        }

        func reachabilityChanged(of pool: PoolKey, isReachable: Bool, reportedBy identity: ObjectIdentifier) {
            source.reachabilityChanged(of: pool, isReachable: isReachable, reportedBy: identity)
        }

        func connectionChanged(of pool: PoolKey, isUp: Bool) { source.connectionChanged(of: pool, isUp: isUp) }
    }
}
