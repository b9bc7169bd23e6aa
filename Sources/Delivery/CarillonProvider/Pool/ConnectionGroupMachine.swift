package import CarillonCore

/// Decides when a group opens its next connection: one by one, never in a burst.
///
/// Only one connection is opened at a time. If that takes longer than `limits.secondAttemptMilliseconds`, another one
/// is opened beside it, so that a first push that is never answered does not hold up everything.
///
/// The provider treats rapid connecting as an attack, so there is always a delay between two attempts. It is longer
/// after each attempt that failed, and after each connection that ended soon after it had begun to work. Attempts
/// that are under way together, and connections that end together, have one cause: they count once.
///
/// For example, a provider is down. By default the delays after the failures are 0.5 to 1 s, then 1 to 2 s, 2 to 4 s,
/// and so on, up to 12.5 to 25 s. The first connection that opens ends that: the next may follow 250 ms after
/// its attempt. If it ends within 10 s of use, it counts as a failure again.
package struct ConnectionGroupMachine: Sendable {
    /// Limits of a group.
    package struct Limits: Hashable, Sendable {
        /// The most connections.
        package var connections = 8
        /// The time between two attempts without a failure.
        package var minimumSpacingMilliseconds: UInt64 = 250
        /// The delay after the first failure; doubled with each further one.
        package var firstDelayMilliseconds: UInt64 = 1_000
        /// The time from an attempt to the next one while the first is undecided: a connection is open after a few
        /// round trips.
        package var secondAttemptMilliseconds: UInt64 = 2_000
        /// The longest delay after failures: less than half a minute, so that the end of an outage is soon found.
        package var longestDelayMilliseconds: UInt64 = 25_000
        /// The life below which a connection that works and then ends counts as a failure.
        package var shortLifeMilliseconds: UInt64 = 10_000

        package init() {}
    }

    /// The decision whether to open a connection now.
    package enum Decision: Hashable, Sendable {
        /// Open none: the group has as many as it may have.
        case idle
        case open
        /// Ask again at that time.
        case wait(until: Uptime)
    }

    /// The reason why a connection takes no new work.
    package enum Retirement: Hashable, Sendable {
        /// The pool has decided to end the connection, or it was never used.
        case planned
        /// The peer has ended the connection, or it is of no use.
        case ended
        /// The peer has asked for less load (ENHANCE_YOUR_CALM; RFC 9113, section 7).
        case askedForLessLoad
    }

    package let limits: Limits
    /// The number of connections that are being opened or are in use; draining connections do not count.
    package private(set) var connectionCount = 0
    /// The number of these connections that have not yet shown that they work.
    package private(set) var undecidedCount = 0
    /// The number of failed attempts in a row. Attempts that were under way together count as one.
    private var failures = 0
    /// The time at which the last of these attempts failed.
    private var lastFailure: Uptime = 0
    /// The number of connections in a row, each opened after the end of the one before, that ended soon or were asked
    /// for less load.
    private var shortLives = 0
    /// The time at which the last of these connections ended.
    private var lastShortLife: Uptime = 0
    /// The time at which the last connection opened; 0 if there was none.
    private var lastOpened: Uptime = 0
    /// The time of `lastOpened`; nil if a connection has ended soon since.
    private var newestOpened: Uptime?
    private var lastAttempt: Uptime = 0
    private var nextAttempt: Uptime = 0

    package init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// Decides whether to open a connection for work that no open connection has streams for.
    ///
    /// - Parameters:
    ///   - earliest: the time of the next attempt as far as other groups of the pool decide it.
    ///   - random: 0 to 1, spreads the attempts.
    package mutating func decideToOpen(at now: Uptime, earliest: Uptime = 0, random: Double) -> Decision {
        forgetShortLives(at: now)
        // A group of one may have two for a while: the other is not known to work.
        let room = undecidedCount == 0 ? limits.connections : max(limits.connections, 2)
        guard connectionCount < room else { return .idle }
        let next = max(nextAttempt, earliest, undecidedCount == 0 ? 0 : lastAttempt + limits.secondAttemptMilliseconds)
        guard now >= next else { return .wait(until: next) }
        connectionCount += 1
        undecidedCount += 1
        lastAttempt = now
        nextAttempt = now + delay(random: random)
        return .open
    }

    /// Returns true if a second connection may be opened while the last attempt is undecided. `decideToOpen` waits for
    /// `limits.secondAttemptMilliseconds` before it opens one. If another connection is open already, there may be
    /// nothing to send over a second one.
    ///
    /// - Parameter hasChannel: true if TCP of any of the group's connections is connected.
    package func permitsSecondAttempt(hasChannel: Bool) -> Bool {
        undecidedCount > 0 && undecidedCount == connectionCount && (undecidedCount == 1 || !hasChannel)
    }

    private func delay(random: Double) -> UInt64 {
        let count = failures + shortLives
        guard count > 0 else { return limits.minimumSpacingMilliseconds }
        let doubled = limits.firstDelayMilliseconds << UInt64(min(count - 1, 16))
        let bounded = Double(min(doubled, limits.longestDelayMilliseconds))
        // Half fixed, half random, so that the attempts of many pools do not fall together.
        return UInt64(bounded / 2 + bounded / 2 * min(max(random, 0), 1))
    }

    /// Called when a connection has shown that it works. Attempts that failed before it no longer count, nor does the
    /// delay that they caused.
    package mutating func connectionOpened(at now: Uptime) {
        undecidedCount -= 1
        failures = 0
        lastOpened = now
        newestOpened = now
        // Whether it lasts is not known yet.
        if shortLives == 0 { nextAttempt = min(nextAttempt, lastAttempt + limits.minimumSpacingMilliseconds) }
    }

    /// Forgets connections that ended soon, once a newer one has lasted.
    private mutating func forgetShortLives(at now: Uptime) {
        guard shortLives > 0, let newestOpened, now.milliseconds(since: newestOpened) >= limits.shortLifeMilliseconds
        else {
            return
        }
        shortLives = 0
        nextAttempt = min(nextAttempt, lastAttempt + limits.minimumSpacingMilliseconds)
    }

    /// Called when a connection takes no new work, because it drains or is closed. Another may be opened in its place.
    ///
    /// - Parameters:
    ///   - attemptedAt: when `decideToOpen` answered `open` for the connection.
    ///   - openMilliseconds: the milliseconds since `connectionOpened`; nil if it was not called for the connection.
    ///   - random: 0 to 1, spreads the attempts.
    package mutating func connectionRetired(
        _ retirement: Retirement, attemptedAt: Uptime, openMilliseconds: UInt64?, at now: Uptime, random: Double
    ) {
        connectionCount -= 1
        if let openMilliseconds {
            guard isShort(retirement, after: openMilliseconds, at: now) else { return }
            shortLives += 1
            lastShortLife = now
            newestOpened = nil
        } else {
            undecidedCount -= 1
            // Attempts that are under way together have one cause to fail: only the first counts. None counts if
            // another has opened since it began.
            guard retirement != .planned,
                retirement == .askedForLessLoad || attemptedAt >= max(lastFailure, lastOpened)
            else { return }
            failures += 1
            lastFailure = now
        }
        nextAttempt = max(nextAttempt, now + delay(random: random))
    }

    private func isShort(_ retirement: Retirement, after openMilliseconds: UInt64, at now: Uptime) -> Bool {
        // Connections that end together have one cause: only the first of them counts.
        let isNew = shortLives == 0 || now.earlier(byMilliseconds: openMilliseconds) >= lastShortLife
        return switch retirement {
        case .planned: false
        case .ended: isNew && openMilliseconds < limits.shortLifeMilliseconds
        case .askedForLessLoad: isNew
        }
    }
}
