import CarillonCore
import CarillonSession
import CarillonTestKit
import CarillonWire
import Testing

/// Requests of an open connection and its time, as transcripts.
struct ServerSessionTests: ServerSessionScript {
    // MARK: Requests

    /// The step is prime to 500 and 600, so that every request is answered.
    @Test(arguments: [1, 499, 7, 331])
    func `requests are answered in any order`(_ step: Int) throws {
        let client = try open()
        var waiting: [UInt64] = []
        for round: UInt64 in 0..<2 {
            let ids = (0..<500).map { 3 + round * 1_500 + $0 * 3 }
            for id in ids { client.send(frame(id)) }
            waiting += ids
            let order = (0..<waiting.count).map { $0 * step % waiting.count }.prefix(round == 0 ? 400 : waiting.count)
            for id in order.map({ waiting[$0] }) {
                let before = client.outstandingCount
                client.session.answer(done, id: id)
                // These are not outstanding.
                client.session.answer(done, id: id)
                client.session.answer(done, id: id + 1)
                try #require(client.outstandingCount == before - 1)
            }
            waiting = waiting.enumerated().filter { !order.contains($0.offset) }.map(\.element)
        }
        client.listen()
        #expect(waiting.isEmpty)
        #expect(Set(names(client)).count == 1_000)
    }

    @Test func `a request about another app is read correctly`() throws {
        let client = try open()
        let other = AppID("com.example.chat")!
        for (id, app) in [(3, Self.app), (4, Self.app), (5, other), (6, Self.app)] as [(UInt64, AppID)] {
            client.send(request(LookupRequest(app: app, device: .id(DeviceID(rawValue: id))), id))
        }
        var bad = frame(7)
        bad[FrameHeader.byteCount + 2] = UInt8(ascii: "_")
        client.send(bad + frame(8))
        #expect(
            client.requests == [
                AnyRequest(LookupRequest(app: Self.app, device: .id(DeviceID(rawValue: 3)))),
                AnyRequest(LookupRequest(app: Self.app, device: .id(DeviceID(rawValue: 4)))),
                AnyRequest(LookupRequest(app: other, device: .id(DeviceID(rawValue: 5)))),
                AnyRequest(LookupRequest(app: Self.app, device: .id(DeviceID(rawValue: 6)))),
                AnyRequest(MessageStatusRequest(app: Self.app, id: MessageID(rawValue: 9))),
            ])
        #expect(names(client) == ["INVALID_ARGUMENT 7"])
    }

    @Test func `an operation that is not in HELLO is not served`() throws {
        let client = ScriptedClient(opcodes: [.hello, .authenticate, .lookup])
        try client.enter(phase: "open")
        client.send(request(SubscribeEventsRequest(credit: 1), 3))
        #expect(client.lastError?.code == .unsupportedOpcode)
    }

    @Test func `a message is scheduled at most 366 days ahead`() throws {
        let client = try open()
        let content = MessageContent(app: Self.app, pushType: .alert, payload: Array("{}".utf8))
        var message = Message(content: content, audience: .all)
        message.sendAt = client.now.wall.later(byMilliseconds: 366 * 86_400_000)
        client.send(request(message, 3))
        #expect(client.requests == [AnyRequest(message)])
        for (id, late) in [(4, 1), (5, UInt64.max)] as [(UInt64, UInt64)] {
            message.sendAt = message.sendAt?.later(byMilliseconds: late)
            client.send(request(message, id))
            #expect(client.lastError?.code == .invalidArgument)
            #expect(client.lastError?.field == "send_at")
        }
        #expect(client.requests.count == 1)
    }

    /// A dry run must not be taken for a message that is sent.
    @Test func `a dry run is a read`() throws {
        let client = try open()
        let content = MessageContent(
            app: Self.app, pushType: .alert, payload: Array(#"{"aps":{"alert":"Hi"}}"#.utf8))
        let steps = [true, false].enumerated().map { index, isDryRun in
            let message = Message(content: content, audience: .all, isDryRun: isDryRun)
            return switch client.receive(request(message, 3 + UInt64(index))) {
            case .dryRun(let counted, let context): "counts \(counted == message) \(context.id)"
            case .individual(.send(let sent), let context): "sends \(sent == message) \(context.id)"
            case let step: "\(step)"
            }
        }
        #expect(steps == ["counts true 3", "sends true 4"])
    }

    @Test func `answers are sent in the order in which they are known`() throws {
        let client = try open()
        client.send(frame(3) + frame(4) + frame(9))
        #expect(client.outstandingCount == 3)
        client.session.answer(done, id: 9)
        client.session.fail(RequestError(.notFound, message: "no"), id: 3, at: 1_000)
        client.session.answer(done, id: 4)
        // These are not outstanding.
        client.session.answer(done, id: 4)
        client.session.fail(RequestError(.notFound, message: "no"), id: 77, at: 1_000)
        client.listen()
        #expect(names(client) == ["answer 9", "NOT_FOUND 3", "answer 4"])
        #expect(client.outstandingCount == 0)
    }

    @Test func `a change is answered by its own answer only`() throws {
        let client = try open()
        client.send(request(UnregisterRequest(app: Self.app, device: .id(DeviceID(rawValue: 7))), 3))
        let answers: [ChangeAnswer] = [.updated(DeviceID(rawValue: 7)), .unregistered(DeviceID(rawValue: 7))]
        let areWritten = answers.map { client.session.answer($0, to: .unregister, id: 3) }
        #expect(areWritten == [false, true])
        client.listen()
        #expect(names(client) == ["answer 3"])
        let isIgnored = client.session.answer(.unregistered(nil), to: .unregister, id: 3)
        #expect(isIgnored, "request 3 is answered")
        client.listen()
        #expect(names(client) == ["answer 3"])
    }

    @Test func `too many outstanding requests stop the reading`() throws {
        var limits = SessionLimits()
        limits.outstandingRequests = 2
        let client = try open(limits)
        client.send(frame(3) + frame(4) + frame(5))
        #expect(client.requests.count == 2)
        #expect(!client.mayRead)
        // While the session itself stops the reading, silence ends nothing.
        #expect(client.deadline == nil)
        wait(60_000, client)
        #expect(names(client).isEmpty)
        client.session.answer(done, id: 3)
        #expect(client.mayRead)
        client.send([])
        #expect(client.requests.count == 3)
    }

    @Test func `a connection is closed at its error limit`() throws {
        var limits = SessionLimits()
        limits.errorsAtOnce = 2
        limits.errorsPerSecond = 1
        let client = try open(limits)
        let unknown = { (id: UInt64) -> [UInt8] in
            var bytes = self.frame(id)
            bytes[6] = 0x7F
            return bytes
        }
        client.send(unknown(3) + unknown(4))
        client.now.uptime += 1_000
        client.send(unknown(5))
        #expect(names(client) == ["UNSUPPORTED_OPCODE 3", "UNSUPPORTED_OPCODE 4", "UNSUPPORTED_OPCODE 5"])
        client.send(unknown(6))
        #expect(client.lastError?.code == .tooManyErrors)
        #expect(client.isClosed)
    }

    // MARK: Time

    @Test func `silence is answered with a ping and then with the end`() throws {
        let client = try open()
        wait(29_999, client)
        #expect(names(client).isEmpty)
        wait(1, client)
        #expect(names(client) == ["ping"])
        client.send(ping(1, isAcknowledgement: true))
        wait(29_999, client)
        #expect(names(client) == ["ping"])
        wait(1, client)
        wait(9_999, client)
        #expect(names(client) == ["ping", "ping"])
        wait(1, client)
        #expect(names(client) == ["ping", "ping", "TIMEOUT 0"])
        #expect(client.isClosed)
    }

    @Test func `a frame that does not end in time ends the connection`() throws {
        let client = try open()
        client.send(Array(frame(3).dropLast()))
        #expect(client.deadline == 6_000)
        // More bytes of the same frame do not lengthen its time.
        client.now.uptime += 4_000
        client.send([])
        wait(999, client)
        #expect(!client.isClosed)
        wait(1, client)
        #expect(names(client) == ["TIMEOUT 0"])
    }

    @Test func `pings are answered and too many end the connection`() throws {
        let client = try open()
        client.send(ping(1))
        client.now.uptime += 10_000
        client.send(ping(2) + ping(3))
        #expect(names(client) == ["pong", "pong", "pong"])
        client.send(ping(4))
        #expect(client.lastError?.code == .tooManyPings)
        #expect(client.isClosed)
    }
}
