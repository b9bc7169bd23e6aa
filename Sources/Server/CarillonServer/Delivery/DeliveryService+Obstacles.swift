import CarillonClock
import CarillonCore
import CarillonDelivery
import CarillonTransport

/// Finds the obstacles that make deliveries wait.
extension DeliveryService {
    /// Returns the pools of an app that cannot be used now, because they do not reach the provider, or because it
    /// refuses the credential.
    func obstacles(of app: AppID) -> [DeliveryObstacle] {
        let routes = readEngine { engine in PushDestination.allCases.compactMap { engine.route(of: app, to: $0) } }
        guard !routes.isEmpty else { return [] }
        let now = Clock.now()
        let pools = openPools
        return routes.compactMap { route in
            if let refusal = route.refusal {
                return DeliveryObstacle(
                    kind: .credentialRefused, credential: route.pool.credential,
                    environment: route.pool.destination.environment,
                    since: now.wallTime(of: refusal.since), nextAttemptAt: refusal.nextTrial.map(now.wallTime))
            }
            return pools[route.pool].flatMap(obstacle)
        }
    }

    /// The pools that do not reach their provider now, by name, for warnings.
    var outages: [DeliveryObstacle] {
        openPools.values.compactMap(obstacle).sorted {
            ($0.credential, $0.environment.rawValue) < ($1.credential, $1.environment.rawValue)
        }
    }

    private func obstacle(_ pool: any DeliveryPool) -> DeliveryObstacle? {
        guard let (outage, reason) = pool.outage else { return nil }
        let key = pool.key
        return DeliveryObstacle(
            kind: .unreachable, credential: key.credential, environment: key.destination.environment,
            since: outage.since, nextAttemptAt: outage.nextAttemptAt, cause: outage.cause, reason: reason)
    }
}

extension DeliveryObstacle {
    /// The line of `/readyz`.
    var warning: String {
        let since = since.map { " since \(LogLine.text(of: $0))" } ?? ""
        return "\(credential)/\(environment.name) is \(kind)\(since): \(cause?.rawValue ?? "unknown"): \(reason)"
    }
}

extension Moment {
    /// Returns the wall-clock time of an uptime near this moment.
    fileprivate func wallTime(of uptime: Uptime) -> Timestamp {
        uptime < self.uptime
            ? Timestamp(
                milliseconds: wall.milliseconds - min(wall.milliseconds, self.uptime.milliseconds(since: uptime)))
            : wall.later(byMilliseconds: uptime.milliseconds(since: self.uptime))
    }
}
