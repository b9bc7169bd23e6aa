import CarillonCore

/// The client of a session: its name, the size of the answers that it takes, and how many more faults it may make.
struct ConnectedClient {
    /// The client's name and grants; nil until it has authenticated.
    private(set) var principal: Principal?
    /// The largest payload that the client takes, in bytes.
    private(set) var receiveLimit: UInt32
    private let limits: SessionLimits
    /// The error limit: the number of errors that the client may still cause.
    private var errorBucket: TokenBucket
    /// The time of the client's last PING; nil before the first.
    private var pingedAt: Uptime?
    /// The number of PINGs in a row that came too soon after the one before.
    private var earlyPings = 0

    /// The number of early PINGs in a row that are forgiven: the network may deliver two PINGs together, although the
    /// client left time between them.
    private static let maximumEarlyPings = 1

    init(limits: SessionLimits, now: Uptime) {
        self.limits = limits
        receiveLimit = limits.frameBytes
        errorBucket = TokenBucket(capacity: limits.errorsAtOnce, perSecond: limits.errorsPerSecond, now: now)
    }

    /// Takes the client's name and grants: it has authenticated, or its rights have changed.
    ///
    /// - Parameter principal: nil if the client is no longer known.
    mutating func principalChanged(to principal: Principal?) { self.principal = principal }

    /// Takes the limit that HELLO names; 0 means the limit of the session.
    mutating func limitAnswers(to receiveLimit: UInt32) {
        self.receiveLimit = receiveLimit == 0 ? limits.frameBytes : receiveLimit
    }

    /// Counts an error that the client has caused; returns false if it has caused too many.
    mutating func admitError(at now: Uptime) -> Bool { errorBucket.take(at: now) }

    /// Counts a PING; returns false if too many in a row came too soon.
    mutating func admitPing(at now: Uptime) -> Bool {
        let isTooSoon = pingedAt.map { now - $0 < UInt64(limits.minimumPingIntervalMilliseconds) } ?? false
        pingedAt = now
        earlyPings = isTooSoon ? earlyPings + 1 : 0
        return earlyPings <= Self.maximumEarlyPings
    }
}
