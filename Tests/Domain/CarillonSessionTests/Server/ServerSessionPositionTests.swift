import CarillonCore
import CarillonSession
import CarillonTestKit
import CarillonWire
import Testing

/// Positions in the log of a cluster, at both ends of a connection (Protocol 6.5).
struct ServerSessionPositionTests {
    private static let node = HelloAnswer.AnnouncedNode(name: "a", cluster: UUIDBytes(high: 1, low: 2))
    private static let lookup = LookupRequest(app: TestApps.game, device: .id(DeviceID(rawValue: 1)))

    private static func position(_ number: UInt64) -> [UInt8] {
        var writer = FrameWriter()
        writer.position(number)
        return writer.take()
    }

    @Test func `a server of a cluster reports each position once`() throws {
        let client = ScriptedClient(node: Self.node)
        client.session.reportPosition(3)
        client.listen()
        #expect(client.received.isEmpty, "not before the connection is open")
        try client.enter(phase: "open")
        for position in [5, 5, 4, 6] as [UInt64] { client.session.reportPosition(position) }
        client.listen()
        #expect(client.received == Self.position(5) + Self.position(6))
    }

    @Test func `a server without a cluster has no positions`() throws {
        let client = ScriptedClient()
        try client.enter(phase: "open")
        client.session.reportPosition(5)
        client.send(Self.position(7))
        client.listen()
        #expect(client.received.isEmpty)
        #expect(client.awaited.isEmpty)
        #expect(positionOfLookup(3, from: client) == 0)
    }

    @Test func `requests behind a position need it`() throws {
        let client = ScriptedClient(node: Self.node)
        try client.enter(phase: "open")
        #expect(positionOfLookup(3, from: client) == 0)
        client.session.reportPosition(5)
        client.send(Self.position(4) + Self.position(9) + Self.position(8), byteByByte: true)
        // Of 4 the server has said itself that it is there.
        #expect(client.awaited == [9])
        #expect(positionOfLookup(4, from: client) == 9)
    }

    @Test(arguments: [0, 7, 9]) func `a position has eight bytes`(size: Int) throws {
        let client = ScriptedClient(node: Self.node)
        try client.enter(phase: "open")
        client.send([0, 0, 0, UInt8(size), 5, 0, 0, 5] + [UInt8](repeating: 0, count: 8 + size))
        #expect(client.isClosed)
    }

    /// Returns the position that a LOOKUP of the client needs now; nil if the session reads none.
    private func positionOfLookup(_ id: UInt64, from client: ScriptedClient) -> UInt64? {
        var writer = FrameWriter()
        writer.request(Self.lookup, id: id)
        guard case .pointRead(_, _, let context) = client.receive(writer.take()) else { return nil }
        return context.head.position
    }
}
