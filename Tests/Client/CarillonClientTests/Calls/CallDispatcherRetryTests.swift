import CarillonClient
import CarillonCore
import CarillonTestKit
import CarillonWire
import Testing

private let app = TestApps.game
private let phone = DeviceReference.id(DeviceID(rawValue: 7))
private let user = GroupName("user/42")!

/// Repeated calls: which are repeated, after what, and with which key.
@Suite(.cleansUp, .timeLimit(.minutes(10)))
struct CallDispatcherRetryTests {
    @Test func `a send that was lost is repeated with its key`() async throws {
        let server = try await ScriptedServer.start()
        let client = scriptedClient(of: server)
        async let accepted = client.send(Samples.message)
        let first = try await server.accept()
        let lost = try await first.request(SendRequest.self).request
        #expect(lost.idempotencyKey != nil)
        first.close()
        let second = try await server.accept()
        let (id, request) = try await second.request()
        #expect(request == AnyRequest(lost))
        second.answer(
            id, SendResult(id: MessageID(rawValue: 9), isDuplicate: true, total: 1, ended: 0), to: SendRequest.self)
        #expect(try await accepted.id == MessageID(rawValue: 9))
    }

    @Test func `a join that was lost is made again`() async throws {
        let server = try await ScriptedServer.start()
        let client = scriptedClient(of: server)
        async let result = client.join(user, devices: [phone], app: app)
        let first = try await server.accept()
        let lost = try await first.request().request
        first.close()
        let second = try await server.accept()
        let (id, request) = try await second.request()
        #expect(request == lost)
        second.answer(id, JoinAnswer(joined: 0, announcement: nil, unknown: []), to: JoinRequest.self)
        #expect(try await result.joined == 0)
    }

    @Test func `a send is not repeated to a server with another history`() async throws {
        let server = try await ScriptedServer.start()
        let client = scriptedClient(of: server)
        async let error = failure { () throws(CarillonError) in try await client.send(Samples.message) }
        let first = try await server.accept()
        _ = try await first.request()
        try await server.stop()
        var behaviour = ScriptedServer.PeerBehaviour()
        behaviour.helloAnswer?.epoch = UUIDBytes(high: 8, low: 8)
        let other = try await ScriptedServer.start(behaviour, port: server.port)
        first.close()
        _ = try await other.accept()
        #expect(await error?.code == .connectionLost)
        #expect(await error?.effect == .unknown)
    }

    @Test func `a call that the server allows to repeat is repeated`() async throws {
        let server = try await ScriptedServer.start()
        let client = scriptedClient(of: server)
        async let accepted = client.send(Samples.message)
        let peer = try await server.accept()
        let (first, _) = try await peer.request()
        peer.refuse(first, opcode: .send, RequestError(.rateLimited, retry: .after(milliseconds: 5), message: "slower"))
        let (second, _) = try await peer.request()
        peer.answer(
            second, SendResult(id: MessageID(rawValue: 1), isDuplicate: false, total: 1, ended: 0), to: SendRequest.self
        )
        #expect(try await accepted.total == 1)
    }

    @Test func `garbage ends the connection and the call is repeated`() async throws {
        let server = try await ScriptedServer.start()
        let client = scriptedClient(of: server)
        async let found = client.lookup(.id(Samples.device.id), app: app)
        let bad = try await server.accept()
        _ = try await bad.request()
        bad.send { $0.raw([UInt8](repeating: 0xFF, count: 64)) }
        let good = try await server.accept()
        good.answer(try await good.request().id, Samples.device, to: LookupRequest.self)
        #expect(try await found == Samples.device)
    }

    @Test func `a GOAWAY moves requests that were not executed to another connection`() async throws {
        let server = try await ScriptedServer.start()
        let client = scriptedClient(of: server)
        async let one = client.status(of: MessageID(rawValue: 1), app: app)
        let old = try await server.accept()
        let (first, _) = try await old.request()
        async let two = client.status(of: MessageID(rawValue: 2), app: app)
        _ = try await old.request()
        old.send { $0.goAway(.stopping(lastID: .max)) }
        old.send { $0.goAway(.stopping(lastID: first)) }
        let new = try await server.accept()
        let (again, request) = try await new.request()
        #expect(request == AnyRequest(MessageStatusRequest(app: app, id: MessageID(rawValue: 2))))
        new.answer(again, MessageStatus.finished(total: 2), to: MessageStatusRequest.self)
        #expect(try await two.total == 2)
        old.answer(first, MessageStatus.finished(total: 1), to: MessageStatusRequest.self)
        #expect(try await one.total == 1)
        try await old.closed()
    }

    @Test func `without a limit of attempts a call outlives many failures`() async throws {
        let server = try await ScriptedServer.start()
        // Some connections open before they are closed: the lookup can be written on each of them.
        let client = scriptedClient(of: server, maximumAttempts: 100)
        async let found = client.lookup(.id(Samples.device.id), app: app)
        for _ in 0..<20 { try await server.accept().close() }
        let peer = try await server.accept()
        peer.answer(try await peer.request().id, Samples.device, to: LookupRequest.self)
        #expect(try await found == Samples.device)
    }
}

extension GoAway {
    fileprivate static func stopping(lastID: UInt64) -> GoAway {
        GoAway(
            lastID: lastID,
            code: .draining,
            graceMilliseconds: 20_000,
            reconnectAfterMilliseconds: 0,
            reason: "stopping"
        )
    }
}
