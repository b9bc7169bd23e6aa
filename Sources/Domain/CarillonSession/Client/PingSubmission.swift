package import CarillonCore

/// The result of sending a ping.
package enum PingSubmission: Hashable, Sendable {
    /// The ping is in `output`; `pingAnswered` will follow.
    case sent
    /// A ping is under way; its answer serves for both.
    case underWay
    /// The server wants more time between pings.
    case tooSoon(until: Uptime)
    /// The connection is not open.
    case notOpen
}
