import CarillonAPNs
import CarillonCore
import Synchronization

/// Where the common connections of a pool get their work; pushes under which connections have ended stay here for the connection
/// apart. Decisions are `Isolation`'s.
final class IsolatingSource: DeliverySource {
    private let source: any DeliverySource
    private let pool: PoolKey
    private let isolation = Mutex(Isolation())
    /// Whether `isolation` has anything to do: looked at in each turn, and nearly never true.
    private let isWatching = Atomic<Bool>(false)
    private let onDiverted = Mutex<(@Sendable () -> Void)?>(nil)

    init(_ source: any DeliverySource, pool: PoolKey) {
        self.source = source
        self.pool = pool
    }

    /// Calls `body` whenever there is work for the connection apart.
    func whenDiverted(_ body: (@Sendable () -> Void)?) { onDiverted.withLock { $0 = body } }

    /// Whether there is work for the connection apart.
    var hasDiverted: Bool { isWatching.load(ordering: .relaxed) && isolation.withLock { $0.hasWaiting } }

    func pull(for pool: PoolKey, _ limits: PullLimits, into deliveries: inout [Delivery]) {
        guard isWatching.load(ordering: .relaxed) else {
            return source.pull(for: pool, limits, into: &deliveries)
        }
        var hasDiverted = false
        var found: [Delivery] = []
        // For those that are taken out there is room for others; a few times are enough, the next turn asks again.
        for _ in 0..<4 where found.count < limits.all {
            var more: [Delivery] = []
            source.pull(for: pool, limits.less(found.count), into: &more)
            let isDiverting = withIsolation { $0.divert(&more, at: Clock.now().uptimeMilliseconds) }
            found += more
            guard isDiverting else { break }
            hasDiverted = true
        }
        deliveries += found
        if hasDiverted { onDiverted.withLock { $0 }?() }
    }

    func completed(_ results: [DeliveryResult], for pool: PoolKey) {
        if isWatching.load(ordering: .relaxed) { withIsolation { $0.answered(results) } }
        source.completed(results, for: pool)
    }

    func stopped(_ pool: PoolKey, by speaker: ObjectIdentifier) { source.stopped(pool, by: speaker) }

    func reachabilityChanged(of pool: PoolKey, isReachable: Bool, by speaker: ObjectIdentifier) {
        source.reachabilityChanged(of: pool, isReachable: isReachable, by: speaker)
    }

    func connectionChanged(of pool: PoolKey, isUp: Bool) { source.connectionChanged(of: pool, isUp: isUp) }

    /// A connection has ended, by no doing of ours, while these had no answer. Say it before they are given back.
    func connectionEnded(under attempts: [Attempt]) {
        guard !attempts.isEmpty else { return }
        withIsolation { $0.connectionEnded(under: attempts, at: Clock.now().uptimeMilliseconds) }
    }

    /// Gives back what has waited too long for the connection apart; call it every second or so.
    func tend() {
        guard isWatching.load(ordering: .relaxed) else { return }
        giveBack(withIsolation { $0.takeOverdue(at: Clock.now().uptimeMilliseconds) })
    }

    /// Gives back all that waits, and diverts nothing any more.
    func end() {
        whenDiverted(nil)
        giveBack(withIsolation { $0.end() })
    }

    private func giveBack(_ deliveries: [Delivery]) {
        guard !deliveries.isEmpty else { return }
        source.completed(deliveries.map { DeliveryResult($0.attempt, .notProcessed) }, for: pool)
    }

    private func withIsolation<R: Sendable>(_ body: (inout sending Isolation) -> R) -> R {
        isolation.withLock { isolation in
            let result = body(&isolation)
            isWatching.store(!isolation.isIdle, ordering: .relaxed)
            return result
        }
    }

    // MARK: The connection apart

    /// The same isolatingSource as the connection apart sees it.
    struct Apart: DeliverySource {
        let isolatingSource: IsolatingSource

        func pull(for pool: PoolKey, _ limits: PullLimits, into deliveries: inout [Delivery]) {
            let now = Clock.now().uptimeMilliseconds
            isolatingSource.giveBack(
                isolatingSource.isolation.withLock { $0.take(limits.all, at: now, into: &deliveries) })
        }

        func completed(_ results: [DeliveryResult], for pool: PoolKey) {
            isolatingSource.withIsolation { $0.returned(results.count) }
            isolatingSource.completed(results, for: pool)
        }

        func stopped(_ pool: PoolKey, by speaker: ObjectIdentifier) { isolatingSource.stopped(pool, by: speaker) }

        func reachabilityChanged(of pool: PoolKey, isReachable: Bool, by speaker: ObjectIdentifier) {
            isolatingSource.reachabilityChanged(of: pool, isReachable: isReachable, by: speaker)
        }

        func connectionChanged(of pool: PoolKey, isUp: Bool) { isolatingSource.connectionChanged(of: pool, isUp: isUp) }
    }
}
