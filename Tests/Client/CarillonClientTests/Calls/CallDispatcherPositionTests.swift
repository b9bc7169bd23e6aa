import CarillonClient
import CarillonCore
import CarillonTestKit
import CarillonWire
import Testing

private let app = TestApps.game
private let device = DeviceReference.id(DeviceID(rawValue: 7))
private let cluster = UUIDBytes(high: 3, low: 4)

/// Makes a GOAWAY. A call that is sent before the client has read it is not executed, and goes to the next node.
private func draining(after last: UInt64) -> GoAway {
    GoAway(
        lastID: last, code: .draining, graceMilliseconds: 60_000, reconnectAfterMilliseconds: 60_000,
        reason: "stopping")
}

/// Positions in the log of a cluster: a position seen at one node is asked for at the next (POS of the contract).
@Suite(.cleansUp, .timeLimit(.minutes(10)))
struct CallDispatcherPositionTests {
    private func node(_ name: String, of cluster: UUIDBytes? = cluster) async throws -> ScriptedServer {
        let node = cluster.map { HelloAnswer.AnnouncedNode(name: name, cluster: $0) }
        return try await ScriptedServer.start(ScriptedServer.PeerBehaviour(helloAnswer: .scripted(node: node)))
    }

    /// Lets the client unregister a device on a connection, which reports a position before its answer.
    private func write(_ client: CarillonClient, at server: ScriptedServer, position: UInt64) async throws
        -> (peer: ScriptedPeer, id: UInt64)
    {
        async let answered = client.unregister(device, app: app)
        let peer = try await server.accept()
        let (id, _) = try await peer.request(UnregisterRequest.self)
        peer.send {
            $0.position(position)
            $0.answer(DeviceID(rawValue: 7), to: UnregisterRequest.self, id: id)
        }
        _ = try await answered
        return (peer, id)
    }

    @Test func `the position of a write is sent to the next node`() async throws {
        let a = try await node("a")
        let b = try await node("b")
        let client = CarillonClient(configuration: scriptedConfiguration(a.port, b.port))
        let old = try await write(client, at: a, position: 41)
        #expect(client.position == ClusterPosition(cluster: cluster, number: 41))
        old.peer.send { $0.goAway(draining(after: old.id)) }
        async let found = client.lookup(device, app: app)
        let peer = try await b.accept()
        #expect(try await peer.control() == .position(41))
        let (id, _) = try await peer.request(LookupRequest.self)
        peer.refuse(id, opcode: .lookup, RequestError(.notFound, message: "no such device"))
        _ = try? await found
        #expect(try await client.serverInfo().node == "b")
    }

    @Test func `the greatest observed position of the cluster is sent`() async throws {
        let b = try await node("b")
        let client = CarillonClient(configuration: scriptedConfiguration(b.port))
        try await client.connect()
        let peer = try await b.accept()
        client.readAfter(try #require(ClusterPosition("\(cluster):99")))
        client.readAfter(ClusterPosition(cluster: cluster, number: 98))
        client.readAfter(ClusterPosition(cluster: UUIDBytes(high: 9, low: 9), number: 100))
        async let found = client.lookup(device, app: app)
        #expect(try await peer.control() == .position(99))
        let (id, _) = try await peer.request(LookupRequest.self)
        peer.refuse(id, opcode: .lookup, RequestError(.notFound, message: "no such device"))
        _ = try? await found
    }

    @Test func `a server without a cluster gets no position`() async throws {
        let a = try await node("a")
        let b = try await node("b", of: nil)
        let client = CarillonClient(configuration: scriptedConfiguration(a.port, b.port))
        let old = try await write(client, at: a, position: 41)
        old.peer.send { $0.goAway(draining(after: old.id)) }
        async let found = client.lookup(device, app: app)
        // A POSITION would come before the request, which would not be read then.
        _ = try await b.accept().request(LookupRequest.self)
        await client.close(drainTimeout: .zero)
        _ = try? await found
    }

    @Test func `a node that is behind is left for another`() async throws {
        let a = try await node("a")
        let b = try await node("b")
        let client = CarillonClient(configuration: scriptedConfiguration(a.port, b.port))
        async let found = client.lookup(device, app: app)
        let first = try await a.accept()
        let (refused, _) = try await first.request(LookupRequest.self)
        first.refuse(
            refused, opcode: .lookup, RequestError(.behind, retry: .after(milliseconds: 10), message: "behind"))
        let (_, lookup) = try await b.accept().request(LookupRequest.self)
        #expect(lookup.device == device)
        await client.close(drainTimeout: .zero)
        _ = try? await found
    }

    @Test(arguments: ["", "1", "x:1", "\(cluster)", "\(cluster):", "\(cluster):-1", "\(cluster):+1", "\(cluster):1:2"])
    func `a text that is no position is refused`(text: String) {
        #expect(ClusterPosition(text) == nil)
    }
}
