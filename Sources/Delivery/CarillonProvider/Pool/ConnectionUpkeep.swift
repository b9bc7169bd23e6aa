package import CarillonCore

/// Chooses the connections of a group to close early, because they are old, know too few APNs topics, or were not
/// needed for a long time. They are closed one at a time, so that the others carry the work.
package struct ConnectionUpkeep: Sendable {
    /// Limits of age and idleness.
    package struct Limits: Hashable, Sendable {
        /// The age at which a connection is replaced; a fifth less or more.
        package var ageMilliseconds: UInt64 = 12 * Milliseconds.perHour
        /// The time without need of one more connection after which the group shrinks by one.
        package var surplusMilliseconds: UInt64 = 600_000
        /// The time between the ends of two connections.
        package var minimumSpacingMilliseconds: UInt64 = 5_000
        /// The time between two checks; also the interval of `ConnectionBalanceRule` and `ConnectionRateLimit`.
        package var intervalMilliseconds: UInt64 = 1_000
        /// The time without a connection after which the provider counts as unreachable (`Reachability`).
        package var outageMilliseconds: UInt64 = 10_000
        /// The number of connections that are kept when the group shrinks.
        package var minimumConnections = 1

        package init() {}
    }

    package enum Reason: String, Hashable, Sendable {
        /// The connection is old, or does not know new APNs topics: another takes its place when there is work.
        case replaced
        /// The group has one more than it needs.
        case surplus
    }

    private let limits: Limits
    /// The time at which each connection must be replaced, by its number.
    private var endings: [Int: Uptime] = [:]
    private var neededAt: Uptime
    private var nextEnding: Uptime = 0

    package init(limits: Limits = Limits(), now: Uptime) {
        self.limits = limits
        neededAt = now
    }

    /// Called when a connection has shown that it works.
    ///
    /// - Parameter random: 0 to 1, spreads the ages.
    package mutating func connectionOpened(_ number: Int, at now: Uptime, random: Double) {
        let share = 0.8 + 0.4 * min(max(random, 0), 1)
        endings[number] = now + UInt64(Double(limits.ageMilliseconds) * share)
        neededAt = now
    }

    package mutating func connectionRetired(_ number: Int) {
        endings[number] = nil
    }

    /// Called when a connection had all its streams in use.
    package mutating func connectionSaturated(at now: Uptime) {
        neededAt = now
    }

    /// Lets every connection be replaced: a new one knows the APNs topics that were added to the credential.
    package mutating func replaceAll(at now: Uptime) {
        for number in endings.keys { endings[number] = now }
    }

    /// Returns the connection to close now, and forgets it; nil if there is none. Called every second or so.
    package mutating func takeConnectionToEnd(at now: Uptime) -> (number: Int, reason: Reason)? {
        guard now >= nextEnding, let oldest = endings.min(by: { ($0.value, $0.key) < ($1.value, $1.key) }) else {
            return nil
        }
        let isSurplus = endings.count > limits.minimumConnections && now >= neededAt + limits.surplusMilliseconds
        guard oldest.value <= now || isSurplus else { return nil }
        endings[oldest.key] = nil
        nextEnding = now + limits.minimumSpacingMilliseconds
        guard oldest.value > now else { return (oldest.key, .replaced) }
        neededAt = now
        return (oldest.key, .surplus)
    }
}
