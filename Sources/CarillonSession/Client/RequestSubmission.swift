package import CarillonCore
package import CarillonWire

/// The result of submitting a request.
package enum RequestSubmission: Hashable, Sendable {
    /// It is in `output`; its answer will name this id.
    case sent(id: UInt64)
    /// Not now: the connection is not open, or its window is full.
    case wait
    /// Not on this connection: it takes no new requests.
    case elsewhere
    /// Not on any connection: the server does not take such a request.
    case refused(ErrorReply)
}

/// The result of sending a ping.
package enum PingSubmission: Hashable, Sendable {
    /// It is in `output`; `ponged` will follow.
    case sent
    /// One is under way; its answer serves for both.
    case underWay
    /// The server wants more time between pings.
    case tooSoon(until: Uptime)
    /// The connection is not open.
    case notOpen
}
