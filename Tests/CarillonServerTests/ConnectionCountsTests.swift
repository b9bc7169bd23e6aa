import NIOCore
import Testing

@testable import CarillonServer

/// Which connection is admitted, and which one gives way to it.
struct ConnectionCountsTests {
    private static let (a, b, c) = (ConnectionSource.ipv4(1), ConnectionSource.ipv4(2), ConnectionSource.ipv4(3))

    /// Counts for 4 connections, 3 half-open ones, 2 of one source.
    private func counts(connections: Int = 4, halfOpen: Int = 3, perAddress: Int = 2) -> ConnectionCounts {
        ConnectionCounts(
            .init(connections: connections, halfOpen: halfOpen, halfOpenPerAddress: perAddress))
    }

    private func displaced(_ id: ConnectionCounts.ID, by setting: Setting, of limit: Int) -> ConnectionCounts.Displaced
    {
        ConnectionCounts.Displaced(id: id, limit: ConnectionLimit(setting: setting, limit: limit))
    }

    @Test func withinTheLimitsEveryConnectionIsAdmitted() {
        var counts = counts()
        #expect(counts.admit(from: Self.a) == .admitted(1, displaced: []))
        #expect(counts.admit(from: Self.a) == .admitted(2, displaced: []))
        #expect(counts.admit(from: Self.b) == .admitted(3, displaced: []))
        #expect((counts.connections, counts.halfOpen) == (3, 3))
        counts.opened(1)
        #expect((counts.connections, counts.halfOpen) == (3, 2))
        #expect(counts.admit(from: Self.c) == .admitted(4, displaced: []))
        counts.ended(1)
        counts.ended(2)
        #expect((counts.connections, counts.halfOpen) == (2, 2))
    }

    @Test func theOldestOfASourceGivesWayToItsNewest() {
        var counts = counts()
        for _ in 1...2 { _ = counts.admit(from: Self.a) }
        let limit = Setting.limitsHandshakesPerAddress
        #expect(counts.admit(from: Self.a) == .admitted(3, displaced: [displaced(1, by: limit, of: 2)]))
        counts.opened(2)
        #expect(counts.admit(from: Self.a) == .admitted(4, displaced: []))
        #expect(counts.admit(from: Self.a) == .admitted(5, displaced: [displaced(3, by: limit, of: 2)]))
    }

    @Test func theOldestOfTheSourceWithTheMostGivesWayToOthers() {
        var counts = counts()
        _ = counts.admit(from: Self.b)
        for _ in 2...3 { _ = counts.admit(from: Self.a) }
        let limit = Setting.limitsHandshakes
        #expect(counts.admit(from: Self.c) == .admitted(4, displaced: [displaced(2, by: limit, of: 3)]))
        // All have one now: the oldest of all gives way.
        #expect(counts.admit(from: .ipv6(1)) == .admitted(5, displaced: [displaced(1, by: limit, of: 3)]))
    }

    @Test func peersThatConnectWithoutEndDisplaceOnlyEachOther() {
        var counts = counts(connections: 100, halfOpen: 4)
        guard case .admitted(let victim, _) = counts.admit(from: Self.b) else { return #expect(Bool(false)) }
        for _ in 0..<100 {
            for source in [Self.a, Self.c] {
                guard case .admitted(_, let displaced) = counts.admit(from: source) else {
                    return #expect(Bool(false), "rejected")
                }
                #expect(!displaced.contains { $0.id == victim })
            }
        }
        counts.opened(victim)
        #expect((counts.connections, counts.halfOpen) == (4, 3))
    }

    @Test func openConnectionsGiveWayToNone() {
        var counts = counts()
        for source in [Self.a, Self.b, Self.c] {
            guard case .admitted(let id, _) = counts.admit(from: source) else { return #expect(Bool(false)) }
            counts.opened(id)
        }
        let limit = Setting.limitsConnections
        #expect(counts.admit(from: Self.a) == .admitted(4, displaced: []))
        #expect(counts.admit(from: Self.b) == .admitted(5, displaced: [displaced(4, by: limit, of: 4)]))
        counts.opened(5)
        #expect(counts.admit(from: Self.c) == .rejected(ConnectionLimit(setting: limit, limit: 4)))
        #expect((counts.connections, counts.halfOpen) == (4, 0))
    }

    @Test func aDisplacedConnectionIsNotCountedAgain() {
        var counts = counts(halfOpen: 1)
        _ = counts.admit(from: Self.a)
        #expect(counts.admit(from: Self.b) == .admitted(2, displaced: [displaced(1, by: .limitsHandshakes, of: 1)]))
        counts.opened(1)
        #expect((counts.connections, counts.halfOpen) == (1, 1))
        counts.ended(1)
        counts.ended(1)
        #expect((counts.connections, counts.halfOpen) == (1, 1))
    }

    @Test func tcpDisplacesNoneOfTheUnixSocket() {
        var counts = counts()
        for _ in 1...2 { _ = counts.admit(from: .unixSocket) }
        #expect(counts.admit(from: Self.a) == .admitted(3, displaced: []))
        #expect(counts.admit(from: Self.b) == .admitted(4, displaced: []))
        let limit = Setting.limitsConnections
        #expect(counts.admit(from: Self.c) == .admitted(5, displaced: [displaced(3, by: limit, of: 4)]))
        #expect(
            counts.admit(from: .unixSocket)
                == .admitted(6, displaced: [displaced(1, by: .limitsHandshakesPerAddress, of: 2)]))
        counts.opened(2)
        counts.opened(6)
        #expect(counts.admit(from: .unixSocket) == .admitted(7, displaced: [displaced(4, by: limit, of: 4)]))
    }

    @Test func lowerLimitsHoldForTheNextConnection() {
        var counts = counts(connections: 9, halfOpen: 9, perAddress: 9)
        for _ in 1...4 { _ = counts.admit(from: Self.a) }
        counts.limits = .init(connections: 2, halfOpen: 2, halfOpenPerAddress: 2)
        guard case .admitted(5, let displaced) = counts.admit(from: Self.b) else { return #expect(Bool(false)) }
        #expect(displaced.map(\.id) == [1, 2, 3])
        #expect((counts.connections, counts.halfOpen) == (2, 2))
    }

    @Test(arguments: [
        ("192.0.2.1", ConnectionSource.ipv4(0xC000_0201)), ("::ffff:192.0.2.1", .ipv4(0xC000_0201)),
        ("2001:db8:1:2::1", .ipv6(0x2001_0DB8_0001_0002)), ("2001:db8:1:2:ffff::9", .ipv6(0x2001_0DB8_0001_0002)),
        ("2001:db8:1:3::1", .ipv6(0x2001_0DB8_0001_0003)), ("::1", .ipv6(0)),
    ])
    func addressesOfOneNetworkAreOneSource(address: String, source: ConnectionSource) throws {
        #expect(ConnectionSource(try SocketAddress(ipAddress: address, port: 1)) == source)
    }
}
