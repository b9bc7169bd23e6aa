import NIOCore
import Testing

@testable import CarillonServer

/// The connections that are admitted, and those that give way to them.
struct ConnectionAdmissionTests {
    private static let a = ConnectionSource.ipv4(1)
    private static let b = ConnectionSource.ipv4(2)
    private static let c = ConnectionSource.ipv4(3)

    /// Makes the admission of 4 connections, 3 half-open ones, 2 of one source.
    private func makeAdmission(connections: Int = 4, halfOpen: Int = 3, perAddress: Int = 2) -> ConnectionAdmission {
        ConnectionAdmission(
            .init(connections: connections, halfOpen: halfOpen, halfOpenPerAddress: perAddress))
    }

    private func displaced(_ id: ConnectionAdmission.ID, by setting: Setting, of limit: Int)
        -> ConnectionAdmission.Displacement
    {
        ConnectionAdmission.Displacement(id: id, limit: ConnectionLimit(setting: setting, maximum: limit))
    }

    /// Returns the connections that give way; nil if the new connection is rejected.
    private func displacedIDs(_ decision: ConnectionAdmission.Decision) -> [ConnectionAdmission.ID]? {
        if case .admitted(_, let displaced) = decision { displaced.map(\.id) } else { nil }
    }

    @Test func `within the limits every connection is admitted`() {
        var admission = makeAdmission()
        #expect(admission.admit(from: Self.a) == .admitted(1, displaced: []))
        #expect(admission.admit(from: Self.a) == .admitted(2, displaced: []))
        #expect(admission.admit(from: Self.b) == .admitted(3, displaced: []))
        #expect(admission.connectionCount == 3)
        #expect(admission.halfOpenCount == 3)
        admission.clientIdentified(1)
        #expect(admission.connectionCount == 3)
        #expect(admission.halfOpenCount == 2)
        #expect(admission.admit(from: Self.c) == .admitted(4, displaced: []))
        admission.connectionEnded(1)
        admission.connectionEnded(2)
        #expect(admission.connectionCount == 2)
        #expect(admission.halfOpenCount == 2)
    }

    @Test func `the oldest connection of a source gives way to its newest`() {
        var admission = makeAdmission()
        for _ in 1...2 { _ = admission.admit(from: Self.a) }
        let limit = Setting.limitsHalfOpenConnectionsPerAddress
        #expect(admission.admit(from: Self.a) == .admitted(3, displaced: [displaced(1, by: limit, of: 2)]))
        admission.clientIdentified(2)
        #expect(admission.admit(from: Self.a) == .admitted(4, displaced: []))
        #expect(admission.admit(from: Self.a) == .admitted(5, displaced: [displaced(3, by: limit, of: 2)]))
    }

    @Test func `the oldest connection of the largest source gives way to other sources`() {
        var admission = makeAdmission()
        _ = admission.admit(from: Self.b)
        for _ in 2...3 { _ = admission.admit(from: Self.a) }
        let limit = Setting.limitsHalfOpenConnections
        #expect(admission.admit(from: Self.c) == .admitted(4, displaced: [displaced(2, by: limit, of: 3)]))
        // All have one now: the oldest of all gives way.
        #expect(admission.admit(from: .ipv6(1)) == .admitted(5, displaced: [displaced(1, by: limit, of: 3)]))
    }

    @Test func `peers that connect without end displace only each other`() {
        var admission = makeAdmission(connections: 100, halfOpen: 4)
        #expect(admission.admit(from: Self.b) == .admitted(1, displaced: []))
        for _ in 0..<100 {
            for source in [Self.a, Self.c] {
                let displaced = displacedIDs(admission.admit(from: source))
                #expect(displaced?.contains(1) == false)
            }
        }
        admission.clientIdentified(1)
        #expect(admission.connectionCount == 4)
        #expect(admission.halfOpenCount == 3)
    }

    @Test func `open connections are not displaced`() {
        var admission = makeAdmission()
        for (id, source) in [(1, Self.a), (2, Self.b), (3, Self.c)] as [(ConnectionAdmission.ID, ConnectionSource)] {
            #expect(admission.admit(from: source) == .admitted(id, displaced: []))
            admission.clientIdentified(id)
        }
        let limit = Setting.limitsConnections
        #expect(admission.admit(from: Self.a) == .admitted(4, displaced: []))
        #expect(admission.admit(from: Self.b) == .admitted(5, displaced: [displaced(4, by: limit, of: 4)]))
        admission.clientIdentified(5)
        #expect(admission.admit(from: Self.c) == .rejected(ConnectionLimit(setting: limit, maximum: 4)))
        #expect(admission.connectionCount == 4)
        #expect(admission.halfOpenCount == 0)
    }

    @Test func `a displaced connection is not counted again`() {
        var admission = makeAdmission(halfOpen: 1)
        _ = admission.admit(from: Self.a)
        #expect(
            admission.admit(from: Self.b)
                == .admitted(2, displaced: [displaced(1, by: .limitsHalfOpenConnections, of: 1)]))
        admission.clientIdentified(1)
        #expect(admission.connectionCount == 1)
        #expect(admission.halfOpenCount == 1)
        admission.connectionEnded(1)
        admission.connectionEnded(1)
        #expect(admission.connectionCount == 1)
        #expect(admission.halfOpenCount == 1)
    }

    @Test func `connections over TCP displace none of the Unix socket`() {
        var admission = makeAdmission()
        for _ in 1...2 { _ = admission.admit(from: .unixSocket) }
        #expect(admission.admit(from: Self.a) == .admitted(3, displaced: []))
        #expect(admission.admit(from: Self.b) == .admitted(4, displaced: []))
        let limit = Setting.limitsConnections
        #expect(admission.admit(from: Self.c) == .admitted(5, displaced: [displaced(3, by: limit, of: 4)]))
        #expect(
            admission.admit(from: .unixSocket)
                == .admitted(6, displaced: [displaced(1, by: .limitsHalfOpenConnectionsPerAddress, of: 2)]))
        admission.clientIdentified(2)
        admission.clientIdentified(6)
        #expect(admission.admit(from: .unixSocket) == .admitted(7, displaced: [displaced(4, by: limit, of: 4)]))
    }

    @Test func `lower limits hold for the next connection`() {
        var admission = makeAdmission(connections: 9, halfOpen: 9, perAddress: 9)
        for _ in 1...4 { _ = admission.admit(from: Self.a) }
        admission.limits = .init(connections: 2, halfOpen: 2, halfOpenPerAddress: 2)
        let limit = Setting.limitsHalfOpenConnections
        let oldest = [1, 2, 3].map { displaced($0, by: limit, of: 2) }
        #expect(admission.admit(from: Self.b) == .admitted(5, displaced: oldest))
        #expect(admission.connectionCount == 2)
        #expect(admission.halfOpenCount == 2)
    }

    @Test(arguments: [
        ("192.0.2.1", ConnectionSource.ipv4(0xC000_0201)), ("::ffff:192.0.2.1", .ipv4(0xC000_0201)),
        ("2001:db8:1:2::1", .ipv6(0x2001_0DB8_0001_0002)), ("2001:db8:1:2:ffff::9", .ipv6(0x2001_0DB8_0001_0002)),
        ("2001:db8:1:3::1", .ipv6(0x2001_0DB8_0001_0003)), ("::1", .ipv6(0)),
    ])
    func `addresses of one network are one source`(address: String, source: ConnectionSource) throws {
        #expect(ConnectionSource(try SocketAddress(ipAddress: address, port: 1)) == source)
    }
}
