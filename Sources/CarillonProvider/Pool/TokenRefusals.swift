package import CarillonCore

/// When an operator must learn that a provider refuses tokens again and again, as expired or as renewed too often.
///
/// One such answer is part of ordinary work: the connection is replaced. If the next connection gets it too, the clock
/// of this machine is probably wrong. Durations are in milliseconds.
package struct TokenRefusals: Sendable {
    /// Refusals in a row from which on there is a warning.
    package static let warningThreshold = 2
    /// Between two warnings.
    package static let pauseMilliseconds: UInt64 = 600_000

    /// Refusals since a connection last worked.
    package private(set) var count = 0
    private var warnedAt: Uptime?

    /// Makes the state of a pool whose tokens were never refused.
    package init() {}

    /// A token was refused. Returns true if to warn.
    package mutating func refused(at now: Uptime) -> Bool {
        count += 1
        let isDue = warnedAt.map { now.milliseconds(since: $0) >= Self.pauseMilliseconds } ?? true
        guard count >= Self.warningThreshold, isDue else { return false }
        warnedAt = now
        return true
    }

    /// A connection has shown that its token is accepted.
    package mutating func accepted() {
        count = 0
    }
}
