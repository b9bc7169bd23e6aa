package import CarillonCore

/// Follows changes of pools, credentials and routes.
extension DeliveryEngine {
    /// Removes the waiting recipients of a pool that has had no connection for a while from memory. All pools share the
    /// memory, and messages for other pools would wait behind them. They stay pending in the outbox until
    /// `poolBecameReachable`, or until their message expires.
    package mutating func poolBecameUnreachable(_ pool: PoolKey, at now: Moment) {
        if pools.availability.poolBecameUnreachable(pool, at: now.uptime) { keepOnDisk(for: pool, at: now) }
    }

    /// Reads the pending recipients of a pool that has a connection again from the outbox.
    package mutating func poolBecameReachable(_ pool: PoolKey, at now: Moment) {
        if pools.availability.poolBecameReachable(pool) { readPendingAgain(at: now) }
    }

    /// Reads the pending recipients of a pool from the outbox, because it has another credential, or because the
    /// operator wants the same one tried at once.
    package mutating func poolRestarted(_ pool: PoolKey, at now: Moment) {
        guard pools.availability.poolRestarted(pool) else { return }
        readPendingAgain(at: now)
        // Other recipients wait in memory for the end of a trial.
        enqueueWaiting(for: pool, at: now)
    }

    /// Removes from memory the recipients that wait for a pool; they stay pending in the outbox.
    ///
    /// - Parameter app: removes the recipients of this app only; nil for all apps.
    mutating func keepOnDisk(for pool: PoolKey, of app: AppID? = nil, at now: Moment) {
        if app == nil { poolQueues.removeAll(of: pool) }
        withEveryPage(at: now) { engine, page in
            guard app == nil || app == page.properties.app,
                engine.pools.availability.pool(of: page.properties.app, to: pool.destination) == pool
            else { return }
            page.loaded.leaveQueue(of: pool.destination)
            page.rerouteReady(for: pool.destination, routes: engine.routes(of: page))
        }
    }

    /// Takes other routes, after credentials were added or removed: what is ready goes to the pool that serves it now,
    /// or ends.
    package mutating func routesChanged(_ routes: Routes, at now: Moment) {
        pools.availability.change(to: routes)
        actions.wake(routes.all)
        poolQueues.removeAll()
        withEveryPage(at: now) { engine, page in
            let routes = engine.routes(of: page)
            for destination in PushDestination.allCases {
                page.loaded.leaveQueue(of: destination)
                guard page.loaded.hasReady(destination) else { continue }
                if routes[destination] == .available {
                    engine.enqueue(&page, for: destination)
                } else {
                    page.rerouteReady(for: destination, routes: routes)
                }
            }
        }
        // Recipients that were kept on disk for a pool that was down may have another pool now.
        guard pools.availability.hasDownPools else { return }
        pools.availability.forgetUnroutedPools()
        readPendingAgain(at: now)
    }

    func routes(of page: borrowing CheckedOutPage) -> PageRoutes {
        pools.availability.routes(of: page.properties, at: page.now)
    }

    /// Ends the recipients in memory that have waited too long for their pool.
    mutating func giveUpWaiting(at now: Moment) {
        guard pools.availability.hasUnusablePools else { return }
        for id in messages.all.filter({ $0.value.properties.isOnlyForNow }).keys.sorted() {
            guard let loaded = messages[id] else { continue }
            for destination in PushDestination.allCases
            where pools.availability.hasWaitedTooLong(loaded.properties, in: destination, at: now) {
                for number in loaded.openPages.sorted() {
                    withPage(PageKey(message: id, page: number), at: now) { _, page in
                        page.giveUpWaiting(for: destination)
                    }
                }
            }
        }
    }
}
