import Glibc
import NIOCore

/// The connections of the server, and the rule that chooses which one gives way to a new one.
///
/// A connection is half-open until its client is known. If there are too many, the oldest half-open connection of the
/// source that has the most of them is closed for the new one. So idle peers cannot keep clients out: they take only
/// each other's room. The Unix socket has a limit of its own, which connections over TCP do not use up.
struct ConnectionAdmission {
    /// The number of one connection; it is never used twice.
    typealias ID = UInt64

    /// The decision about a new connection.
    enum Decision: Hashable, Sendable {
        /// The new connection is counted under this id, and the caller must close the displaced ones.
        case admitted(ID, displaced: [Displacement])
        /// The caller must close the new connection, which is not counted.
        case rejected(ConnectionLimit)
    }

    /// A half-open connection that gives way to a new one, and is no longer counted.
    struct Displacement: Hashable, Sendable {
        var id: ID
        /// The limit that the new connection would pass.
        var limit: ConnectionLimit
    }

    var limits: ConnectionLimiter.Limits
    private var lastID: ID = 0
    private var open: Set<ID> = []
    private var sources: [ID: ConnectionSource] = [:]
    /// The half-open connections of each source, the oldest first.
    private var halfOpenBySource: [ConnectionSource: [ID]] = [:]

    init(_ limits: ConnectionLimiter.Limits) {
        self.limits = limits
    }

    /// The number of all connections.
    var connectionCount: Int { open.count + halfOpenCount }
    var halfOpenCount: Int { sources.count }

    /// Counts a new connection.
    mutating func admit(from source: ConnectionSource) -> Decision {
        let limitOfAll = ConnectionLimit(setting: .limitsConnections, maximum: limits.connections)
        let displaceable = source == .unixSocket ? halfOpenCount : halfOpenCountOverTCP
        guard connectionCount - displaceable < limitOfAll.maximum else { return .rejected(limitOfAll) }
        var displaced: [Displacement] = []
        let limitOfSource = ConnectionLimit(
            setting: .limitsHalfOpenConnectionsPerAddress, maximum: limits.halfOpenPerAddress)
        while halfOpenBySource[source, default: []].count >= limitOfSource.maximum,
            let oldest = halfOpenBySource[source]?.first
        {
            displaced.append(displace(oldest, for: limitOfSource))
        }
        let limitOfTCP = ConnectionLimit(setting: .limitsHalfOpenConnections, maximum: limits.halfOpen)
        while source != .unixSocket, halfOpenCountOverTCP >= limitOfTCP.maximum, let next = candidate(for: source) {
            displaced.append(displace(next, for: limitOfTCP))
        }
        while connectionCount >= limitOfAll.maximum, let next = candidate(for: source) {
            displaced.append(displace(next, for: limitOfAll))
        }
        lastID += 1
        sources[lastID] = source
        halfOpenBySource[source, default: []].append(lastID)
        return .admitted(lastID, displaced: displaced)
    }

    /// Counts a connection as open: its client is known. Ignored if the connection was displaced.
    mutating func clientIdentified(_ id: ID) {
        guard remove(id) else { return }
        open.insert(id)
    }

    /// Counts a connection as ended. Ignored if it was displaced.
    mutating func connectionEnded(_ id: ID) {
        if !remove(id) { open.remove(id) }
    }

    private var halfOpenCountOverTCP: Int { halfOpenCount - halfOpenBySource[.unixSocket, default: []].count }

    /// Returns the half-open connection that gives way to one of `source`; nil if there is none. A client over TCP
    /// never displaces a client of the Unix socket. The search is linear in the sources, whose number `limits.halfOpen`
    /// bounds.
    private func candidate(for source: ConnectionSource) -> ID? {
        let bySource = halfOpenBySource.lazy.filter { $0.key != .unixSocket || source == .unixSocket }.map(\.value)
        let largest = bySource.max { one, other in
            // Of sources with as many connections, the one with the oldest gives way. Ids ascend with time.
            one.count == other.count ? one[0] > other[0] : one.count < other.count
        }
        return largest?.first
    }

    private mutating func displace(_ id: ID, for limit: ConnectionLimit) -> Displacement {
        _ = remove(id)
        return Displacement(id: id, limit: limit)
    }

    /// Removes a half-open connection; returns false if none has that id.
    private mutating func remove(_ id: ID) -> Bool {
        guard let source = sources.removeValue(forKey: id) else { return false }
        halfOpenBySource[source]?.removeAll { $0 == id }
        if halfOpenBySource[source]?.isEmpty == true { halfOpenBySource[source] = nil }
        return true
    }
}

/// A limit of connections that is reached.
struct ConnectionLimit: Hashable, Sendable {
    var setting: Setting
    var maximum: Int
}

/// The origin of connections that are counted together.
enum ConnectionSource: Hashable, Sendable {
    /// The Unix socket.
    case unixSocket
    /// An IPv4 address, also one that is written as an IPv6 address.
    case ipv4(UInt32)
    /// The first 64 bits of IPv6 addresses: one host usually has all addresses of such a network.
    case ipv6(UInt64)

    /// Makes the source of a TCP peer; nil for a peer that is gone already.
    init?(_ address: SocketAddress?) {
        guard let text = address?.ipAddress else { return nil }
        if let bytes = Self.bytes(of: text, AF_INET, count: 4) {
            self = .ipv4(UInt32(Self.number(bytes[...])))
        } else if let bytes = Self.bytes(of: text, AF_INET6, count: 16) {
            // A socket that listens on `::` shows IPv4 peers as ::ffff:a.b.c.d.
            let isIPv4 = Self.number(bytes[0..<8]) == 0 && Self.number(bytes[8..<12]) == 0xFFFF
            self = isIPv4 ? .ipv4(UInt32(Self.number(bytes[12...]))) : .ipv6(Self.number(bytes[0..<8]))
        } else {
            return nil
        }
    }

    /// Returns the bytes of an address of that family; nil if the text is no such address.
    private static func bytes(of text: String, _ family: Int32, count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return inet_pton(family, text, &bytes) == 1 ? bytes : nil
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
