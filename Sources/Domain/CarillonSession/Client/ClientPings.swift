import CarillonCore

/// The pings of one connection: the client's, one at a time, and the server's, which are limited.
struct ClientPings {
    /// The time at which the last bytes came.
    private(set) var readAt: Uptime
    /// The time of the client's last PING; nil before the first.
    private(set) var lastAt: Uptime?
    /// The PING that is not answered yet; nil if there is none.
    private var current: (payload: UInt64, sentAt: Uptime)?
    private var serverPings: TokenBucket

    init(now: Uptime) {
        readAt = now
        serverPings = TokenBucket(capacity: 100, perSecond: 100, now: now)
    }

    /// The time of the PING that is not answered yet; nil if there is none.
    var sentAt: Uptime? { current?.sentAt }

    /// True if nothing has come since the PING that is not answered yet.
    var isServerSilent: Bool { current.map { readAt <= $0.sentAt } ?? false }

    mutating func bytesReceived(at now: Uptime) { readAt = now }

    /// Begins a PING; returns its payload.
    mutating func begin(at now: Uptime) -> UInt64 {
        // The payload only has to differ from the payload of the last PING.
        let payload = (current?.payload ?? lastAt?.milliseconds ?? 0) &+ 1
        current = (payload, now)
        lastAt = now
        return payload
    }

    /// Takes the answer to a PING; returns false if it does not belong to the one that is not answered yet.
    mutating func answered(_ payload: UInt64) -> Bool {
        guard payload == current?.payload else { return false }
        current = nil
        return true
    }

    /// Forgets the PING that is not answered yet.
    mutating func forget() { current = nil }

    /// Counts a PING of the server; returns false if it sends too many.
    mutating func serverPinged(at now: Uptime) -> Bool { serverPings.take(at: now) }
}
