import CarillonCore
import CarillonSession
import CarillonTestKit
import CarillonWire
import Testing

private func sessionEnd(_ step: ClientStep?) -> SessionEnd? {
    if case .close(let sessionEnd) = step { sessionEnd } else { nil }
}

private func reason(_ step: ClientStep?) -> SessionEnd.Reason? { sessionEnd(step)?.reason }

private func isGarbled(_ reason: SessionEnd.Reason?) -> Bool {
    if case .garbled = reason { true } else { false }
}

private func refusal(_ submission: RequestSubmission) -> RequestError? {
    if case .refused(let error) = submission { error } else { nil }
}

private let device = DeviceRecord(
    id: DeviceID(rawValue: 7),
    address: DeviceAddress(environment: .sandbox, kind: .device, token: DeviceToken([1, 2])!),
    registeredAt: Timestamp(milliseconds: 5),
    seenAt: Timestamp(milliseconds: 4),
    state: .active
)

/// The session of a client, from its handshake to its end.
///
/// `1 13 2`: the session has sent a frame of kind 1 with the opcode 0x13 and the id 2.
struct ClientSessionTests {
    @Test func `a key completes the handshake`() {
        var conversation = Conversation(key: "secret")
        _ = conversation.sent()
        _ = conversation.receive(Preface.serverBytes(choosing: 1))
        let steps = conversation.receive {
            $0.answer(HelloAnswer.scripted(isAuthenticated: false), to: HelloRequest.self, id: 1)
        }
        #expect(steps == [.proceed])
        #expect(conversation.sent() == ["1 2 2"])
        let answer = AuthenticateAnswer(principal: "tester", grants: [])
        #expect(conversation.receive { $0.answer(answer, to: AuthenticateRequest.self, id: 2) } == [.opened])
        #expect(conversation.session.authenticateAnswer == answer)
    }

    @Test func `a certificate completes the handshake`() {
        var conversation = Conversation()
        #expect(conversation.sent() == ["preface", "1 1 1"])
        #expect(conversation.lookup() == .sendLater)
        #expect(conversation.receive(Preface.serverBytes(choosing: 1)) == [.proceed])
        #expect(conversation.receive { $0.answer(HelloAnswer.scripted(), to: HelloRequest.self, id: 1) } == [.opened])
        #expect(conversation.lookup() == .sent(id: 2))
        #expect(conversation.sent() == ["1 13 2"])
        #expect(
            conversation.receive { $0.answer(device, to: LookupRequest.self, id: 2) } == [
                .answered(AnyAnswer(device, to: LookupRequest.self), id: 2)
            ])
    }

    @Test func `a missing key ends the session`() {
        var conversation = Conversation()
        _ = conversation.receive(Preface.serverBytes(choosing: 1))
        let steps = conversation.receive {
            $0.answer(HelloAnswer.scripted(isAuthenticated: false), to: HelloRequest.self, id: 1)
        }
        #expect(reason(steps.last) == .keyNeeded)
    }

    @Test func `a wrong key ends the session`() {
        var conversation = Conversation(key: "wrong")
        _ = conversation.receive(Preface.serverBytes(choosing: 1))
        _ = conversation.receive {
            $0.answer(HelloAnswer.scripted(isAuthenticated: false), to: HelloRequest.self, id: 1)
        }
        let error = RequestError(.authenticationFailed, message: "no")
        let steps = conversation.receive { $0.error(error, opcode: .authenticate, id: 2) }
        #expect(reason(steps.last) == .server(error))
    }

    @Test func `the handshake may come byte by byte`() {
        var writer = FrameWriter()
        writer.raw(Preface.serverBytes(choosing: 1))
        writer.answer(HelloAnswer.scripted(), to: HelloRequest.self, id: 1)
        var conversation = Conversation()
        var unread: [UInt8] = []
        var steps: [ClientStep] = []
        for byte in writer.take() {
            unread.append(byte)
            let (consumed, step) = unread.withUnsafeBytes { conversation.session.received($0, at: 1_000) }
            unread.removeFirst(consumed)
            if step != .needMore { steps.append(step) }
        }
        #expect(steps == [.proceed, .opened])
    }

    @Test(arguments: ["HTTP/1.1 400 Bad Request\r\n", "\u{15}\u{3}\u{1}"])
    func `another protocol is seen at its first byte`(text: String) {
        var conversation = Conversation()
        #expect(reason(conversation.receive([Array(text.utf8)[0]]).last) == .foreign)
    }

    @Test func `a refused version is explained by the error that follows`() {
        var conversation = Conversation()
        let error = RequestError(.unsupportedVersion, scope: .connection, message: "version 2 only")
        var steps = conversation.receive(Preface.serverBytes(choosing: 0))
        steps += conversation.receive { $0.error(error, opcode: .none, id: 0) }
        #expect(reason(steps.last) == .server(error))
        var silent = Conversation()
        _ = silent.receive(Preface.serverBytes(choosing: 0))
        #expect(silent.session.connectionClosed().reason == .versionRefused)
    }

    @Test func `the handshake has a timeout`() {
        var conversation = Conversation()
        #expect(conversation.session.deadline == 6_000)
        #expect(conversation.session.timerFired(at: 6_000).sessionEnd == SessionEnd(reason: .handshakeTimeout))
    }

    @Test func `GOAWAY in the handshake ends the attempt`() {
        var conversation = Conversation()
        _ = conversation.receive(Preface.serverBytes(choosing: 1))
        let goAway = GoAway(
            lastID: 0, code: .draining, graceMilliseconds: 0, reconnectAfterMilliseconds: 300, reason: "stopping")
        let steps = conversation.receive { $0.goAway(goAway) }
        let reply = RequestError(
            .draining, scope: .connection, retry: .after(milliseconds: 300), message: "stopping")
        #expect(steps == [.close(SessionEnd(reason: .server(reply)))])
    }

    @Test func `answers come in any order`() {
        var conversation = Conversation.opened()
        #expect(conversation.lookup() == .sent(id: 2))
        #expect(conversation.lookup() == .sent(id: 3))
        let stale = RequestError(.notFound, message: "no such device")
        #expect(conversation.receive { $0.error(stale, opcode: .lookup, id: 3) } == [.refused(stale, id: 3)])
        #expect(
            conversation.receive { $0.answer(device, to: LookupRequest.self, id: 2) } == [
                .answered(AnyAnswer(device, to: LookupRequest.self), id: 2)
            ])
        #expect(conversation.session.outstandingCount == 0)
    }

    @Test func `the server limits the window`() {
        var conversation = Conversation.opened(.scripted(inFlightLimit: 2))
        #expect([conversation.lookup(), conversation.lookup()] == [.sent(id: 2), .sent(id: 3)])
        #expect(conversation.lookup() == .sendLater)
        _ = conversation.receive { $0.answer(device, to: LookupRequest.self, id: 2) }
        #expect(conversation.lookup() == .sent(id: 4))
    }

    @Test func `an operation that the server does not offer is not sent`() {
        var helloAnswer = HelloAnswer.scripted()
        helloAnswer.opcodes.removeAll { $0.opcode == .lookup }
        var conversation = Conversation.opened(helloAnswer)
        #expect(refusal(conversation.lookup())?.code == .unsupportedOpcode)
        #expect(conversation.sent().isEmpty)
    }

    @Test func `a request that exceeds the limit of the server is not sent`() {
        var helloAnswer = HelloAnswer.scripted()
        helloAnswer.limits.frameBytes = 4_096
        var conversation = Conversation.opened(helloAnswer)
        let content = MessageContent(
            app: TestApps.game,
            pushType: .alert,
            payload: Array(repeating: 0x20, count: 5_000)
        )
        let message = Message(content: content, audience: .devices([.id(DeviceID(rawValue: 1))]))
        let error = refusal(conversation.session.submit(message, deadline: nil, at: 1_000))
        #expect(error?.code == .frameTooLarge)
        #expect(error?.limit == 4_096)
        #expect(conversation.sent().isEmpty)
    }

    @Test func `deadlines expire and late answers are ignored`() {
        var conversation = Conversation.opened()
        #expect(conversation.lookup(deadline: 3_000) == .sent(id: 2))
        #expect(conversation.lookup(deadline: 2_000) == .sent(id: 3))
        #expect(conversation.session.deadline == 2_000)
        #expect(conversation.session.timerFired(at: 2_000) == TimerResult(expired: [3]))
        #expect(conversation.session.deadline == 3_000)
        #expect(conversation.receive { $0.answer(device, to: LookupRequest.self, id: 3) } == [.proceed])
        #expect(conversation.session.outstandingCount == 1)
    }

    @Test func `a server that answers nothing ends the session`() {
        var conversation = Conversation.opened(.scripted(inFlightLimit: 1))
        #expect(conversation.lookup(deadline: 2_000) == .sent(id: 2))
        #expect(conversation.session.timerFired(at: 2_000) == TimerResult(expired: [2]))
        #expect(conversation.session.timerFired(at: 6_999).sessionEnd == nil)
        #expect(conversation.session.timerFired(at: 7_000) == TimerResult(sessionEnd: SessionEnd(reason: .silence)))
    }

    @Test func `silence is pinged and then ends the session`() {
        var conversation = Conversation.opened()
        _ = conversation.sent()
        #expect(conversation.session.deadline == 31_000)
        #expect(conversation.session.timerFired(at: 30_999) == TimerResult())
        #expect(conversation.session.timerFired(at: 31_000) == TimerResult())
        #expect(conversation.sent() == ["5 3 0"])
        #expect(conversation.session.deadline == 36_000)
        #expect(conversation.session.timerFired(at: 36_000) == TimerResult(sessionEnd: SessionEnd(reason: .silence)))
        #expect(conversation.session.deadline == nil)
    }

    @Test func `a request that waits is probed sooner`() {
        var conversation = Conversation.opened()
        #expect(conversation.lookup() == .sent(id: 2))
        _ = conversation.sent()
        #expect(conversation.session.deadline == 4_000)
        #expect(conversation.session.timerFired(at: 4_000) == TimerResult())
        #expect(conversation.sent() == ["5 3 0"])
        let sessionEnd = SessionEnd(reason: .silence, unanswered: [2])
        #expect(conversation.session.timerFired(at: 9_000) == TimerResult(sessionEnd: sessionEnd))
    }

    @Test func `bytes after a ping keep the session`() {
        var conversation = Conversation.opened()
        #expect([conversation.lookup(), conversation.lookup()] == [.sent(id: 2), .sent(id: 3)])
        #expect(conversation.session.timerFired(at: 4_000) == TimerResult())
        conversation.now = 5_000
        _ = conversation.receive { $0.answer(device, to: LookupRequest.self, id: 2) }
        #expect(conversation.session.timerFired(at: 9_000) == TimerResult())
        #expect(conversation.session.deadline == 14_000, "the server wants ten seconds between pings")
    }

    @Test func `a ping of the server is answered`() {
        var conversation = Conversation.opened()
        #expect(conversation.receive { $0.ping(Ping(isAcknowledgement: false, payload: 9)) } == [.proceed])
        #expect(conversation.sent() == ["5 3 0"])
    }

    @Test func `pings of the client are ten seconds apart and one at a time`() {
        var conversation = Conversation.opened()
        #expect(conversation.session.sendPing(at: 1_000) == .sent)
        #expect(conversation.session.sendPing(at: 1_001) == .underWay)
        // The answer to no ping of this client.
        #expect(conversation.receive { $0.ping(Ping(isAcknowledgement: true, payload: 77)) } == [.proceed])
        #expect(conversation.receive { $0.ping(Ping(isAcknowledgement: true, payload: 1)) } == [.pingAnswered])
        #expect(conversation.session.sendPing(at: 10_999) == .tooSoon(until: 11_000))
        #expect(conversation.session.sendPing(at: 11_000) == .sent)
    }

    @Test func `too many pings of the server end the session`() {
        var conversation = Conversation.opened()
        let steps = conversation.receive { writer in
            for _ in 0..<200 { writer.ping(Ping(isAcknowledgement: false, payload: 1)) }
        }
        #expect(steps.count == 101)
        #expect(isGarbled(reason(steps.last)), "\(steps.suffix(1))")
    }

    @Test func `GOAWAY comes in two steps`() {
        var conversation = Conversation.opened()
        #expect([conversation.lookup(), conversation.lookup()] == [.sent(id: 2), .sent(id: 3)])
        var goAway = GoAway(
            lastID: .max,
            code: .draining,
            graceMilliseconds: 20_000,
            reconnectAfterMilliseconds: 300,
            reason: "stopping"
        )
        let first = conversation.receive { $0.goAway(goAway) }
        #expect(first == [.goingAway(goAway, notExecuted: [])])
        #expect(conversation.lookup() == .sendOnAnotherConnection)
        goAway.lastID = 2
        let second = conversation.receive { $0.goAway(goAway) }
        #expect(second == [.goingAway(goAway, notExecuted: [3])])
        let last = conversation.receive { $0.answer(device, to: LookupRequest.self, id: 2) }
        #expect(
            last == [.answered(AnyAnswer(device, to: LookupRequest.self), id: 2), .close(SessionEnd(reason: .drained))])
    }

    @Test func `an error of the connection ends all requests and names one`() {
        var conversation = Conversation.opened()
        #expect([conversation.lookup(), conversation.lookup()] == [.sent(id: 2), .sent(id: 3)])
        let error = RequestError(.storageFailed, scope: .connection, effect: .unknown, message: "the disk failed")
        let steps = conversation.receive { $0.error(error, opcode: .lookup, id: 3) }
        #expect(steps == [.close(SessionEnd(reason: .server(error), unanswered: [2, 3], named: 3))])
    }

    @Test func `an answer that cannot be read leaves its request unanswered`() {
        var conversation = Conversation.opened()
        #expect([conversation.lookup(), conversation.lookup()] == [.sent(id: 2), .sent(id: 3)])
        // An answer to the LOOKUP 2 without a byte.
        let steps = conversation.receive([0, 0, 0, 0, 2, 0, 0, 0x13, 0, 0, 0, 0, 0, 0, 0, 2])
        #expect(sessionEnd(steps.first)?.unanswered == [2, 3])
    }

    @Test func `a session that finishes waits for answers`() {
        var conversation = Conversation.opened()
        #expect(conversation.lookup() == .sent(id: 2))
        #expect(conversation.session.closeWhenAnswered() == nil)
        #expect(conversation.lookup() == .sendOnAnotherConnection)
        let steps = conversation.receive { $0.answer(device, to: LookupRequest.self, id: 2) }
        #expect(steps.last == .close(SessionEnd(reason: .finished)))
    }

    /// No server may send these frames. One request is out when the frame comes.
    @Test(arguments: [
        ("a request", FrameHeader(length: 0, kind: .request, opcode: .lookup, id: 2)),
        ("a reserved flag", FrameHeader(length: 0, kind: .answer, flags: 2, opcode: .lookup, id: 2)),
        ("an answer with the id 0", FrameHeader(length: 0, kind: .answer, opcode: .lookup, id: 0)),
        ("a control frame with an id", FrameHeader(length: 0, kind: .control, opcode: .goAway, id: 9)),
        ("another opcode", FrameHeader(length: 0, kind: .answer, opcode: .send, id: 2)),
        ("an empty answer", FrameHeader(length: 0, kind: .answer, opcode: .lookup, id: 2)),
        ("an empty error", FrameHeader(length: 0, kind: .error, opcode: .lookup, id: 2)),
        ("a short ping", FrameHeader(length: 0, kind: .control, opcode: .ping, id: 0)),
        ("a frame too large", FrameHeader(length: .max, kind: .answer, opcode: .lookup, id: 2)),
    ])
    func `illegal frames end the session`(name: String, header: FrameHeader) {
        var conversation = Conversation.opened()
        #expect(conversation.lookup() == .sent(id: 2))
        let steps = conversation.receive(header.bytes)
        #expect(isGarbled(reason(steps.last)), "\(steps)")
        #expect(sessionEnd(steps.last)?.unanswered.allSatisfy { $0 == 2 } == true)
        #expect(conversation.session.isClosed)
    }

    @Test func `an answer that no request waits for is skipped`() {
        var conversation = Conversation.opened()
        let answer = FrameHeader(length: 0, kind: .answer, opcode: .lookup, id: 9)
        #expect(conversation.receive(answer.bytes) == [.proceed])
        let refusal = RequestError(.notFound, message: "nothing")
        #expect(conversation.receive { $0.error(refusal, opcode: .lookup, id: 9) } == [.proceed])
    }

    @Test func `frames of a later version are skipped`() {
        var conversation = Conversation.opened()
        let event = FrameHeader(length: 0, kind: .event, opcode: Opcode(rawValue: 0x64), id: 5)
        let control = FrameHeader(length: 0, kind: .control, opcode: Opcode(rawValue: 0x0F), id: 0)
        let layout = FrameHeader(length: 0, kind: .control, flags: 0x10, opcode: .goAway, id: 0)
        for header in [event, control, layout] { #expect(conversation.receive(header.bytes) == [.proceed]) }
    }

    @Test func `random bytes never trap`() {
        var random = SeededGenerator(seed: TestSeeds.one())
        for _ in 0..<2_000 {
            var conversation = Bool.random(using: &random) ? Conversation() : .opened()
            _ = conversation.lookup(deadline: 5_000)
            var noise = (0..<Int.random(in: 1...64, using: &random)).map { _ in UInt8.random(in: 0...24, using: &random)
            }
            if Bool.random(using: &random) { noise = [0, 0, 0, UInt8.random(in: 0...40, using: &random)] + noise }
            _ = conversation.receive(noise)
            _ = conversation.session.timerFired(
                at: Uptime(milliseconds: .random(in: 0...100_000, using: &random)))
            _ = conversation.session.connectionClosed()
            #expect(conversation.session.isClosed)
        }
    }
}

extension FrameHeader {
    /// The header as it stands on the wire.
    fileprivate var bytes: [UInt8] {
        withUnsafeBytes(of: length.bigEndian) { Array($0) } + [kind, flags]
            + withUnsafeBytes(of: opcode.rawValue.bigEndian) { Array($0) }
            + withUnsafeBytes(of: id.bigEndian) { Array($0) }
    }
}
