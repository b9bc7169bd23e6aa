import CarillonCore
import CarillonSession
import CarillonTestKit
import CarillonWire
import Testing

/// The end of a connection: draining, other rights, a revoked key, a client that has closed.
struct ServerSessionEndTests: ServerSessionScript {
    @Test func `draining sends two GOAWAYs`() throws {
        let client = try open()
        client.send(frame(3))
        client.session.beginDraining(at: client.now.uptime, reconnectAfterMilliseconds: 500)
        client.session.beginDraining(at: client.now.uptime, reconnectAfterMilliseconds: 500)
        client.listen()
        #expect(names(client) == ["goaway \(UInt64.max)"])
        client.send(frame(5))
        #expect(client.requests.count == 2)
        wait(1_000, client)
        #expect(names(client).last == "goaway 5")
        let graces = client.frames.filter { $0.header.opcode == .goAway }
            .map { $0.payload[10..<14].reduce(0) { $0 << 8 | UInt32($1) } }
        #expect(graces == [20_000, 19_000], "each counts from its GOAWAY")

        client.send(frame(6))
        #expect(names(client).last == "DRAINING 6")
        client.session.answer(done, id: 3)
        #expect(!client.isClosed)
        client.session.answer(done, id: 5)
        #expect(client.isClosed)
    }

    @Test func `a client with other rights is drained`() throws {
        let client = try open()
        client.send(frame(3))
        let other = Principal(name: "test", grants: [])
        client.session.principalChanged(to: other, at: client.now.uptime, reconnectAfterMilliseconds: 500)
        #expect(client.principal == other)
        client.listen()
        #expect(names(client) == ["goaway \(UInt64.max)"])
        client.send(frame(5))
        #expect(client.requests.count == 2)
        wait(1_000, client)
        #expect(names(client).last == "goaway 5")
        client.session.answer(done, id: 3)
        client.session.answer(done, id: 5)
        #expect(client.isClosed)
    }

    @Test(arguments: [false, true])
    func `a revoked key gets the answers to earlier requests only`(_ isDraining: Bool) throws {
        let client = try open()
        client.send(frame(3))
        if isDraining { client.session.beginDraining(at: client.now.uptime, reconnectAfterMilliseconds: 500) }
        for _ in 0..<2 {
            client.session.principalChanged(to: nil, at: client.now.uptime, reconnectAfterMilliseconds: 500)
        }
        client.listen()
        #expect(names(client) == (isDraining ? ["goaway \(UInt64.max)"] : []) + ["goaway 3"])
        client.send(frame(5))
        #expect(client.requests.count == 1)
        #expect(names(client).last == "DRAINING 5")
        client.session.answer(done, id: 3)
        #expect(client.isClosed)
    }

    @Test func `a certificate that is revoked before HELLO does not authenticate`() throws {
        let client = ScriptedClient(principal: ScriptedClient.principal)
        client.session.principalChanged(to: nil, at: client.now.uptime, reconnectAfterMilliseconds: 500)
        try client.enter(phase: "auth")
        client.send(frame(3))
        client.listen()
        #expect(names(client) == ["WRONG_PHASE 3"])
    }

    @Test func `a request refused while draining uses up its id`() throws {
        let client = try open()
        client.send(frame(3))
        client.session.beginDraining(at: client.now.uptime, reconnectAfterMilliseconds: 0)
        wait(1_000, client)
        client.send(frame(6) + frame(6))
        #expect(names(client).suffix(2) == ["DRAINING 6", "BAD_REQUEST_ID 0"])
    }

    @Test func `requests sent before the GOAWAY was seen are no fault`() throws {
        let client = try open()
        client.send(frame(3))
        client.session.beginDraining(at: client.now.uptime, reconnectAfterMilliseconds: 0)
        wait(1_000, client)
        for id in 6...2_006 as ClosedRange<UInt64> { client.send(frame(id)) }
        #expect(names(client).last == "DRAINING 2006")
        #expect(!client.isClosed)
    }

    @Test func `draining ends at its timeout`() throws {
        let client = try open()
        client.send(frame(3))
        client.session.beginDraining(at: client.now.uptime, reconnectAfterMilliseconds: 0)
        wait(1_000, client)
        wait(18_999, client)
        #expect(!client.isClosed)
        wait(1, client)
        #expect(client.isClosed)
    }

    @Test func `a client that has closed its sending direction gets its answers`() throws {
        let client = try open()
        client.send(frame(3) + frame(4))
        client.session.inputClosed()
        #expect(!client.mayRead)
        client.session.answer(done, id: 3)
        #expect(!client.isClosed)
        client.session.answer(done, id: 4)
        client.listen()
        #expect(client.isClosed)
        #expect(names(client) == ["answer 3", "answer 4"])
    }

    @Test(arguments: [true, false])
    func `a connection that ends during the key check is closed`(_ isGood: Bool) throws {
        let client = ScriptedClient()
        try client.enter(phase: "auth")
        _ = client.receive(key("key", 2))
        client.session.inputClosed()
        #expect(!client.isClosed)
        client.session.clientAuthenticated(as: isGood ? ScriptedClient.principal : nil, id: 2)
        client.listen()
        #expect(client.isClosed)
        #expect(names(client) == [isGood ? "answer 2" : "AUTHENTICATION_FAILED 2"])
    }
}
