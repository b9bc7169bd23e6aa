/// The number of connections of a group, and the time of the next: one by one, never in a burst.
///
/// While one connection is being opened, no other is. If that takes longer than `raceDelay`, a second one races it, so
/// that a first push that is never answered does not hold up everything.
///
/// APNs treats rapid connecting as an attack, so there is always a pause between two attempts, a longer one after each
/// failure. Times are milliseconds of uptime.
package struct PoolMachine: Sendable {
    /// Limits of a group. Times are milliseconds.
    package struct Limits: Hashable, Sendable {
        /// Connections at most.
        package var connections = 8
        /// Between two attempts without a failure.
        package var spacing: UInt64 = 250
        /// After the first failure; doubled with each further one.
        package var backoff: UInt64 = 1_000
        /// From an attempt to the next one while the first is undecided: a connection is open after a few round trips.
        package var raceDelay: UInt64 = 2_000
        /// The longest pause after failures: less than half a minute, so that the end of an outage is soon found.
        package var longestBackoff: UInt64 = 25_000

        /// Makes the defaults.
        package init() {}
    }

    /// The next step about connections.
    package enum Plan: Hashable, Sendable {
        /// Nothing until something happens.
        case idle
        /// Open one.
        case open
        /// Ask again at that time.
        case wait(until: UInt64)
    }

    /// The limits.
    package let limits: Limits
    /// Connections that are being opened or are in use; those that drain do not count.
    package private(set) var connections = 0
    /// Of these, the ones that have not yet shown that they work.
    package private(set) var opening = 0
    private var failures = 0
    private var lastAttempt: UInt64 = 0
    private var nextAttempt: UInt64 = 0
    /// True if the credential was refused: nothing is opened until `credentialRenewed`.
    package private(set) var isStopped = false

    /// Makes a group without connections.
    package init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// Decides whether to open a connection for work that no open connection has streams for.
    ///
    /// - Parameter random: 0 to 1, spreads the attempts.
    package mutating func workWaits(at now: UInt64, random: Double) -> Plan {
        // A group of one may have two for a while: the other is not known to work.
        let room = opening == 0 ? limits.connections : max(limits.connections, 2)
        guard !isStopped, connections < room else { return .idle }
        let next = opening == 0 ? nextAttempt : max(nextAttempt, lastAttempt + limits.raceDelay)
        guard now >= next else { return .wait(until: next) }
        connections += 1
        opening += 1
        lastAttempt = now
        nextAttempt = now + pause(random)
        return .open
    }

    /// True if there are connections and none of them has shown yet that it works.
    package var isUndecided: Bool { opening > 0 && opening == connections }

    /// Returns true if a second connection may race the last attempt, which has taken `raceDelay`. If another
    /// connection is open already, there may be nothing to send over a second one.
    ///
    /// - Parameter hasChannel: true if TCP of any of the group's connections is connected.
    package func mayRace(hasChannel: Bool) -> Bool { isUndecided && (opening == 1 || !hasChannel) }

    private func pause(_ random: Double) -> UInt64 {
        guard failures > 0 else { return limits.spacing }
        let doubled = limits.backoff << UInt64(min(failures - 1, 16))
        let bounded = Double(min(doubled, limits.longestBackoff))
        // Half fixed, half random, so that the attempts of many pools do not fall together.
        return UInt64(bounded / 2 + bounded / 2 * min(max(random, 0), 1))
    }

    /// A connection that was being opened is in use: earlier failures and the pause they caused no longer count.
    package mutating func connectionOpened() {
        opening -= 1
        failures = 0
        nextAttempt = min(nextAttempt, lastAttempt + limits.spacing)
    }

    /// A connection takes no new work (it drains, or it is closed); another may be opened in its place.
    ///
    /// - Parameter wasOpened: true if `connectionOpened` was called for it; if not, the attempt counts as a failure.
    package mutating func connectionRetired(wasOpened: Bool, at now: UInt64, random: Double) {
        connections -= 1
        guard !wasOpened else { return }
        opening -= 1
        failures += 1
        nextAttempt = max(nextAttempt, now + pause(random))
    }

    /// The credential was refused: APNs would refuse every further attempt too.
    package mutating func credentialRefused() {
        isStopped = true
    }

    /// There is a new credential.
    package mutating func credentialRenewed() {
        isStopped = false
        failures = 0
        nextAttempt = 0
    }
}
