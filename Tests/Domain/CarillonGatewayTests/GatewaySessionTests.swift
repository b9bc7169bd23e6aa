import CarillonCore
import CarillonWire
import Testing

@testable import CarillonGateway

/// The gateway's session with the server: its frames, and its handling of the bytes of a server.
final class GatewaySessionTests {
    private static let key = Array("crln_secret".utf8)
    private static let hello = HelloAnswer(
        software: "carillond/1", epoch: UUIDBytes(high: 1, low: 2), clock: Timestamp(milliseconds: 3),
        limits: HelloAnswer.AnnouncedLimits(), isAuthenticated: false, opcodes: [])

    private var session = GatewaySession(key: key)

    /// Receives frames of the server, and returns its steps up to the first that needs more bytes.
    private func receive(_ write: (inout FrameWriter) -> Void) -> [GatewaySession.Step] {
        var frames = FrameWriter()
        write(&frames)
        session.append(frames.take())
        return steps()
    }

    private func steps() -> [GatewaySession.Step] {
        var steps: [GatewaySession.Step] = []
        while true {
            let step = session.next()
            guard step != .needMore else { return steps }
            steps.append(step)
        }
    }

    /// Plays preface, HELLO and AUTH; returns the steps, and leaves no output.
    @discardableResult
    private func open() -> [GatewaySession.Step] {
        let steps = receive {
            $0.raw(Preface.serverBytes(choosing: 1))
            $0.answer(Self.hello, to: HelloRequest.self, id: 1)
            $0.answer(AuthenticateAnswer(principal: "game", grants: []), to: AuthenticateRequest.self, id: 2)
        }
        _ = session.takeOutput()
        return steps
    }

    @Test func `the preface and HELLO come first and AUTH after the answer`() {
        var expected = FrameWriter()
        expected.raw(Preface.clientBytes)
        expected.request(
            HelloRequest(software: "gateway", receiveLimit: UInt32(WireLimits.frameBytes)), id: 1)
        #expect(session.takeOutput() == expected.take())

        let steps = receive {
            $0.raw(Preface.serverBytes(choosing: 1))
            $0.answer(Self.hello, to: HelloRequest.self, id: 1)
        }
        #expect(steps == [.proceed, .proceed])
        expected.request(AuthenticateRequest(key: Self.key), id: 2)
        #expect(session.takeOutput() == expected.take())
    }

    @Test func `a session opens with the identity of its key`() {
        var answer = FrameWriter()
        answer.answer(AuthenticateAnswer(principal: "game", grants: []), to: AuthenticateRequest.self, id: 2)
        let payload = Array(answer.take()[FrameHeader.byteCount...])
        #expect(open() == [.proceed, .proceed, .opened(answer: payload)])
    }

    @Test func `a request is answered under its id`() {
        open()
        let opcode = RestoreRequest.opcode
        let id = session.submit(opcode, payload: [1, 2, 3])
        #expect(id == 3)
        var expected = FrameWriter()
        expected.request(opcode, payload: [1, 2, 3], id: 3)
        #expect(session.takeOutput() == expected.take())
        let answer = EncodedAnswer(DeviceID(rawValue: 9), to: RestoreRequest.self)
        #expect(
            receive { $0.answer(answer, id: id) }
                == [.answered(id: 3, opcode: opcode, payload: [0, 0, 0, 0, 0, 0, 0, 9])])
    }

    /// Returns the bytes of an error's payload.
    private func payload(of error: RequestError) -> [UInt8] {
        var frames = FrameWriter()
        frames.error(error, opcode: .none, id: 0)
        return Array(frames.take()[FrameHeader.byteCount...])
    }

    @Test func `an error ends a request and one of the connection the session`() {
        open()
        let refusal = RequestError(.notFound, message: "there is no such device")
        #expect(
            receive { $0.error(refusal, opcode: .lookup, id: 3) }
                == [.refused(id: 3, payload: payload(of: refusal))])
        let end = RequestError(.tooManyErrors, scope: .connection, message: "too many errors")
        #expect(receive { $0.error(end, opcode: .none, id: 0) } == [.closed(payload: payload(of: end))])
        #expect(receive { $0.error(refusal, opcode: .lookup, id: 4) } == [])
    }

    @Test func `any error before the session is open ends it`() {
        let refusal = RequestError(.authenticationFailed, message: "the key is not known")
        let steps = receive {
            $0.raw(Preface.serverBytes(choosing: 1))
            $0.answer(Self.hello, to: HelloRequest.self, id: 1)
            $0.error(refusal, opcode: .authenticate, id: 2)
        }
        #expect(steps == [.proceed, .proceed, .closed(payload: payload(of: refusal))])
    }

    @Test func `a ping is answered and an answer to a ping is not`() {
        open()
        #expect(receive { $0.ping(Ping(isAcknowledgement: false, payload: 7)) } == [.proceed])
        var expected = FrameWriter()
        expected.ping(Ping(isAcknowledgement: true, payload: 7))
        #expect(session.takeOutput() == expected.take())
        #expect(receive { $0.ping(Ping(isAcknowledgement: true, payload: 7)) } == [.proceed])
        #expect(session.takeOutput().isEmpty)
    }

    @Test(arguments: [(ErrorCode.authenticationFailed, true), (.draining, false)])
    func `a GOAWAY says whether the key was withdrawn`(_ code: ErrorCode, _ isWithdrawn: Bool) {
        open()
        let goAway = GoAway(
            lastID: 2, code: code, graceMilliseconds: 1_000, reconnectAfterMilliseconds: 0, reason: "a reload")
        #expect(receive { $0.goAway(goAway) } == [.goingAway(isWithdrawn: isWithdrawn)])
    }

    @Test(arguments: 1...20)
    func `a frame that comes in pieces is read when it is whole`(_ size: Int) {
        var frames = FrameWriter()
        frames.raw(Preface.serverBytes(choosing: 1))
        frames.answer(Self.hello, to: HelloRequest.self, id: 1)
        var bytes = frames.take()[...]
        var seen: [GatewaySession.Step] = []
        while !bytes.isEmpty {
            session.append(bytes.prefix(size))
            bytes = bytes.dropFirst(size)
            seen += steps()
        }
        #expect(seen == [.proceed, .proceed])
    }

    /// A PING with a payload of one byte, a frame above the limit, a frame of no kind, and no preface.
    @Test(arguments: [
        "0000000105000003" + "0000000000000000" + "07",
        "7fffffff02000051" + "0000000000000003",
        "0000000009000051" + "0000000000000003",
    ])
    func `bytes that are no frame end the session`(_ frame: String) throws {
        open()
        session.append(try #require(Hex.bytes(frame)))
        #expect(steps() == [.closed(payload: nil)])
    }

    @Test func `a server without a preface ends the session`() {
        session.append([UInt8](repeating: 0x20, count: Preface.byteCount))
        #expect(steps() == [.closed(payload: nil)])
    }
}
