import CarillonClock
package import CarillonCore
package import CarillonDelivery

/// Reports on deliveries, for statistics, metrics and requests.
extension DeliveryService {
    /// Returns the number of recipients of a message that ended in the last second, approximately; nil if the message
    /// is not in memory.
    package func rate(of message: MessageID) -> UInt32? { readEngine { $0.rate(of: message, at: Clock.now()) } }

    /// The contents of the engine's memory.
    package var load: DeliveryEngine.Load { readEngine { $0.load } }

    /// Returns the contents of the engine's memory by lane, pool and message; at most `limit` messages.
    package func overview(limit: Int) -> DeliveryEngine.Overview {
        readEngine { $0.overview(limit: limit, at: Clock.now()) }
    }

    /// The number of recipients that have ended since the start, by outcome.
    package var outcomeTotals: [Outcome: UInt64] { outcomeMetrics.totals }

    /// The present alarms of apps, each because a provider calls too many of its tokens bad.
    var badTokenAlarms: [OutcomeMetrics.BadTokenAlarm] { outcomeMetrics.badTokenAlarms }

    /// The pools whose credential was refused and is not accepted yet: `isParked` is true if it counts as refused
    /// altogether, and `parkedApps` is the number of apps for which it is refused.
    package var refusedCredentials: [PoolKey: (isParked: Bool, parkedApps: Int)] {
        readEngine { $0.refusedCredentials }
    }
}
