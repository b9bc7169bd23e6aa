import CarillonCore

/// The sessions of the console: the users who have logged in, and until when. They are in memory only. A decision
/// without clock or I/O.
struct SessionTable {
    /// A browser that has logged in.
    struct Session: Hashable, Sendable {
        /// The API key, which opens the connection again when it was closed.
        var key: [UInt8]
        var principal: String
        /// The principal and its grants as JSON, as of the last time that the connection was opened.
        var principalJSON: [UInt8]
        var beganAt: Uptime
        var usedAt: Uptime
    }

    /// The most sessions; beyond it the one that was used least recently ends.
    static let maximumSessions = 64
    /// How long a session lasts without a request of its user, in milliseconds.
    static let idleMilliseconds: UInt64 = 30 * 60_000
    /// How long a session lasts at most, in milliseconds.
    static let maximumAgeMilliseconds: UInt64 = 12 * Milliseconds.perHour

    private var sessions: [String: Session] = [:]

    var count: Int { sessions.count }

    /// Adds a session under an id that cannot be guessed. Returns the ids of the sessions that have ended:
    /// their time is over, or the new one needs their room.
    mutating func begin(_ session: Session, id: String) -> [String] {
        var ended = removeExpired(at: session.beganAt)
        while sessions.count >= Self.maximumSessions,
            let oldest = sessions.min(by: { $0.value.usedAt < $1.value.usedAt })
        {
            sessions[oldest.key] = nil
            ended.append(oldest.key)
        }
        sessions[id] = session
        return ended
    }

    /// Returns the session of that id; nil if no session has it, or if its time is over.
    ///
    /// - Parameter keepsAlive: false for a request that a page makes without its user: it does not keep the session
    ///   alive.
    mutating func find(_ id: String, at now: Uptime, keepsAlive: Bool) -> Session? {
        guard let session = sessions[id] else { return nil }
        guard Self.isValid(session, at: now) else {
            sessions[id] = nil
            return nil
        }
        if keepsAlive { sessions[id]?.usedAt = now }
        return session
    }

    /// Replaces the grants of a session whose roles may have changed.
    mutating func change(_ id: String, principalJSON: [UInt8]) { sessions[id]?.principalJSON = principalJSON }

    /// Ends a session; returns it, or nil if no session has that id.
    mutating func end(_ id: String) -> Session? { sessions.removeValue(forKey: id) }

    /// Ends the sessions whose time is over, and returns their ids.
    mutating func removeExpired(at now: Uptime) -> [String] {
        let ids = sessions.filter { !Self.isValid($0.value, at: now) }.map(\.key)
        for id in ids { sessions[id] = nil }
        return ids
    }

    private static func isValid(_ session: Session, at now: Uptime) -> Bool {
        now < session.usedAt + idleMilliseconds && now < session.beganAt + maximumAgeMilliseconds
    }
}
