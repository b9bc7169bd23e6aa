import CarillonCore
import CarillonWire

/// The requests of one connection that the server has not answered, and the times at which they expire.
///
/// A request that its caller has abandoned stays until the server has answered: only then has the window room again.
struct UnansweredRequests {
    struct Entry: Hashable {
        var opcode: Opcode
        var deadline: Uptime?
        /// True if the caller waits no longer.
        var isAbandoned = false
    }

    /// The id of the newest request.
    private(set) var lastID: UInt64 = 0
    private var entries = AscendingTable<Entry>()
    private var abandonedCount = 0
    /// The time at which a caller added the first request to an empty table: since then requests wait without a break.
    private(set) var waitingSince: Uptime = 0
    /// The time since which abandoned requests occupy all room; nil while there is room.
    private(set) var stuckSince: Uptime?
    /// The time before which no request expires.
    private(set) var earliestExpiry = Uptime.max

    var count: Int { entries.count }

    var isEmpty: Bool { entries.isEmpty }

    /// True if no caller waits for an answer: every request is answered or abandoned.
    var areAllAbandoned: Bool { entries.count == abandonedCount }

    /// Returns a request; nil if no request of that id waits for its answer.
    subscript(id: UInt64) -> Entry? { entries[id] }

    /// Returns the ids of the requests after a request, ascending.
    func ids(after id: UInt64) -> [UInt64] { entries.elements.lazy.map(\.id).filter { $0 > id } }

    /// Returns the id of the next request. HELLO and AUTH have one too, but are not in the table: no caller waits for
    /// their answers.
    mutating func nextID() -> UInt64 {
        lastID += 1
        return lastID
    }

    mutating func add(_ opcode: Opcode, deadline: Uptime?, at now: Uptime) -> UInt64 {
        let id = nextID()
        if entries.isEmpty { waitingSince = now }
        entries[id] = Entry(opcode: opcode, deadline: deadline)
        if let deadline { earliestExpiry = min(earliestExpiry, deadline) }
        return id
    }

    /// Adds a request that is abandoned from the beginning; returns its id.
    mutating func addAbandoned(_ opcode: Opcode) -> UInt64 {
        let id = nextID()
        entries[id] = Entry(opcode: opcode, isAbandoned: true)
        abandonedCount += 1
        return id
    }

    /// Abandons a request. An id that is not known, or was abandoned before, is ignored.
    ///
    /// - Parameter limit: the number of requests for which the window has room.
    mutating func abandon(_ id: UInt64, limit: Int, at now: Uptime) {
        guard var entry = entries[id], !entry.isAbandoned else { return }
        entry.isAbandoned = true
        entries[id] = entry
        abandonedCount += 1
        if abandonedCount >= limit, stuckSince == nil { stuckSince = now }
    }

    /// Abandons the requests that are past their deadline; returns their ids.
    ///
    /// - Parameter limit: the number of requests for which the window has room.
    mutating func expire(limit: Int, at now: Uptime) -> [UInt64] {
        guard now >= earliestExpiry else { return [] }
        var expired: [UInt64] = []
        earliestExpiry = .max
        for (id, entry) in entries.elements where !entry.isAbandoned {
            guard let deadline = entry.deadline else { continue }
            if deadline <= now { expired.append(id) } else { earliestExpiry = min(earliestExpiry, deadline) }
        }
        for id in expired { abandon(id, limit: limit, at: now) }
        return expired
    }

    /// Removes a request that is answered; returns nil if no request of that id waits for its answer.
    mutating func remove(_ id: UInt64) -> Entry? {
        guard let entry = entries.remove(id) else { return nil }
        if entry.isAbandoned {
            abandonedCount -= 1
            stuckSince = nil
        }
        return entry
    }

    /// Removes all requests; returns the ids of the requests that were not abandoned.
    mutating func removeAll() -> [UInt64] {
        let unanswered = entries.elements.filter { !$0.value.isAbandoned }.map(\.id)
        entries = AscendingTable()
        abandonedCount = 0
        return unanswered
    }
}
