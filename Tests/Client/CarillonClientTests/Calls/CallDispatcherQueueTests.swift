import CarillonClient
import CarillonCore
import CarillonTestKit
import CarillonWire
import Testing

private let app = TestApps.game

/// Calls that share a connection, and calls that wait for room.
@Suite(.cleansUp, .timeLimit(.minutes(10)))
struct CallDispatcherQueueTests {
    @Test func `many calls share one connection and are answered in any order`() async throws {
        let server = try await ScriptedServer.start()
        let client = scriptedClient(of: server)
        async let statuses = withTaskGroup(of: UInt64?.self) { group in
            for number in 1...200 as ClosedRange<UInt64> {
                group.addTask {
                    let status = try? await client.status(of: MessageID(rawValue: number), app: app)
                    return status?.total == number ? number : nil
                }
            }
            return await group.reduce(into: Set<UInt64>()) { if let number = $1 { $0.insert(number) } }
        }
        let peer = try await server.accept()
        var asked: [(UInt64, MessageStatusRequest)] = []
        while asked.count < 200 {
            asked.append(try await peer.request(MessageStatusRequest.self))
        }
        for (id, query) in asked.reversed() {
            peer.answer(id, MessageStatus.finished(total: query.id.rawValue), to: MessageStatusRequest.self)
        }
        #expect(await statuses.count == 200)
    }

    @Test func `calls beyond the window wait for it`() async throws {
        let server = try await ScriptedServer.start(.init(helloAnswer: .scripted(inFlightLimit: 2)))
        let client = scriptedClient(of: server)
        async let all = withTaskGroup(of: Bool.self) { group in
            for _ in 0..<5 {
                group.addTask { (try? await client.lookup(.id(Samples.device.id), app: app)) == Samples.device }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        let peer = try await server.accept()
        var open: [UInt64] = [try await peer.request().id, try await peer.request().id]
        // A third request would come before the answer to this PING.
        peer.send { $0.ping(Ping(isAcknowledgement: false, payload: 5)) }
        #expect(try await peer.control() == .ping(Ping(isAcknowledgement: true, payload: 5)))
        for _ in 0..<3 {
            peer.answer(open.removeFirst(), Samples.device, to: LookupRequest.self)
            open.append(try await peer.request().id)
        }
        for id in open { peer.answer(id, Samples.device, to: LookupRequest.self) }
        #expect(await all == 5)
    }

    @Test func `a call is refused when the queue is full`() async throws {
        let server = try await ScriptedServer.start(.init(helloAnswer: nil))
        var configuration = scriptedConfiguration(server.port)
        configuration.maximumWaitingCalls = 1
        let client = CarillonClient(configuration: configuration)
        let waiting = Task { await failure { () throws(CarillonError) in try await client.ping() } }
        _ = try await server.accept()
        let error = await failure { () throws(CarillonError) in try await client.ping() }
        #expect(error?.code == .overloaded)
        waiting.cancel()
        #expect(await waiting.value?.code == .cancelled)
    }

    @Test func `a call after several connects reaches the next connection`() async throws {
        let server = try await ScriptedServer.start()
        let client = scriptedClient(of: server)
        for _ in 1...3 { try await client.connect() }
        try await server.accept().close()
        async let lookup = client.lookup(.id(Samples.device.id), app: app)
        let peer = try await server.accept()
        peer.answer(try await peer.request().id, Samples.device, to: LookupRequest.self)
        #expect(try await lookup == Samples.device)
    }
}
