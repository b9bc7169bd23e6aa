import CarillonCore
import CarillonSession
import CarillonTestKit
import CarillonWire
import Testing

/// The handshake of a connection, up to the first request: keys, certificates and the time that they have.
struct ServerSessionHandshakeTests: ServerSessionScript {
    @Test func `a key opens the connection`() {
        let client = ScriptedClient()
        client.send(Preface.clientBytes + request(HelloRequest(software: "test/1"), 1))
        #expect(client.received.starts(with: Preface.serverBytes(choosing: 1)))
        #expect(names(client) == ["answer 1"])
        #expect(client.principal == nil)
        client.send(key("key", 2))
        #expect(names(client) == ["answer 1", "answer 2"])
        #expect(client.principal == ScriptedClient.principal)
        client.send(frame(3))
        #expect(client.requests.count == 1)
    }

    @Test func `a known certificate opens the connection at once`() throws {
        let client = ScriptedClient(principal: ScriptedClient.principal)
        client.send(Preface.clientBytes + request(HelloRequest(software: "test/1"), 1) + frame(2))
        #expect(client.requests.count == 1)
        let helloAnswer = try #require(client.frames.first).payload.withUnsafeBytes {
            try HelloRequest.decodeAnswer($0)
        }
        #expect(helloAnswer.isAuthenticated)
        #expect(helloAnswer.clock == client.now.wall)
    }

    @Test func `the third wrong key ends the connection`() throws {
        let client = ScriptedClient()
        try client.enter(phase: "auth")
        for id: UInt64 in 2...3 {
            client.send(key("wrong", id))
            #expect(client.lastError?.code == .authenticationFailed)
            #expect(client.lastError?.scope == .request)
        }
        client.send(key("wrong", 4))
        #expect(client.lastError?.scope == .connection)
        #expect(client.isClosed)
    }

    @Test(arguments: [("preface", []), ("hello", ["TIMEOUT 0"]), ("auth", ["TIMEOUT 0"])])
    func `the handshake has five seconds`(_ phase: String, _ said: [String]) throws {
        let client = ScriptedClient()
        try client.enter(phase: phase)
        #expect(client.deadline == 6_000)
        wait(4_999, client)
        #expect(!client.isClosed)
        wait(1, client)
        #expect(client.isClosed)
        #expect(names(client) == said)
        #expect(client.deadline == nil)
    }

    @Test func `the transport handshake has no deadline of the session`() {
        var session = ServerSession(limits: SessionLimits(), helloAnswer: .scripted(), now: 1_000)
        let before = session.deadline
        #expect(before == nil)
        let step = Preface.clientBytes.withUnsafeBytes { session.received($0, at: ScriptedClient().now) }
        #expect(step == (0, .needMore), "no byte is read before the transport is ready")
        session.transportReady(principal: nil, at: 3_000)
        session.transportReady(principal: ScriptedClient.principal, at: 9_000)
        let deadline = session.deadline
        let principal = session.principal
        #expect(deadline == 8_000)
        #expect(principal == nil, "the second call is ignored")
    }
}
