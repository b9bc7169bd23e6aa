package import CarillonCore

/// Decides when to warn that a provider refuses tokens again and again, as expired or as renewed too often.
///
/// One such answer is part of ordinary work: the connection is replaced. If the next connection gets it too, the clock
/// of this machine is probably wrong.
package struct ProviderTokenRefusals: Sendable {
    /// The number of refusals in a row that causes a warning.
    package static let warningThreshold = 2
    /// The time between two warnings.
    package static let warningIntervalMilliseconds: UInt64 = 600_000

    /// The number of refusals since a connection last worked.
    package private(set) var count = 0
    private var warnedAt: Uptime?

    package init() {}

    /// Called when a provider token was refused. Returns true if a warning is due.
    package mutating func providerTokenRefused(at now: Uptime) -> Bool {
        count += 1
        let isDue = warnedAt.map { now.milliseconds(since: $0) >= Self.warningIntervalMilliseconds } ?? true
        guard count >= Self.warningThreshold, isDue else { return false }
        warnedAt = now
        return true
    }

    /// Called when a connection has shown that its token is accepted: forgets the refusals.
    package mutating func providerTokenAccepted() {
        count = 0
    }
}
