import CarillonCore
import CarillonSession
import CarillonTestKit
import CarillonWire
import Testing

/// A connection from its first byte to its last, as transcripts.
struct ServerSessionTests {
    private static let app = AppID("com.example.game")!
    /// An answer to any request.
    private let done = EncodedAnswer(nil, to: UnregisterRequest.self)

    private func frame(_ id: UInt64) -> [UInt8] {
        request(MessageStatusRequest(app: Self.app, id: MessageID(rawValue: 9)), id)
    }

    private func request(_ request: some Operation, _ id: UInt64) -> [UInt8] {
        var writer = FrameWriter()
        writer.request(request, id: id)
        return writer.bytes
    }

    private func key(_ text: String, _ id: UInt64) -> [UInt8] {
        request(AuthenticateRequest(credential: Array(text.utf8)), id)
    }

    private func ping(_ payload: UInt64, isAcknowledgement: Bool = false) -> [UInt8] {
        var writer = FrameWriter()
        writer.ping(Ping(isAcknowledgement: isAcknowledgement, payload: payload))
        return writer.bytes
    }

    private func open(_ limits: SessionLimits = SessionLimits()) throws -> ScriptedClient {
        let client = ScriptedClient(limits: limits)
        try client.enter(phase: "open")
        return client
    }

    /// Lets time pass and fires the timer of the session.
    private func wait(_ milliseconds: UInt64, _ client: ScriptedClient) {
        client.now.uptime += milliseconds
        client.session.timerFired(at: client.now.uptime)
        client.listen()
    }

    private func names(_ client: ScriptedClient) -> [String] {
        client.frames.map { frame in
            switch FrameKind(rawValue: frame.header.kind) {
            case .response: "response \(frame.header.id)"
            case .error:
                (try? frame.payload.withUnsafeBytes { try ErrorReply(decoding: $0) })
                    .map { "\($0.code) \(frame.header.id)" } ?? "unreadable"
            case .control where frame.header.opcode == .ping: frame.header.flags == 0 ? "ping" : "pong"
            case .control: "goaway \(frame.payload.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) })"
            case .request, .event, nil: "?"
            }
        }
    }

    // MARK: The handshake

    @Test func aKeyOpensTheConnection() {
        let client = ScriptedClient()
        client.send(Preface.client + request(HelloRequest(software: "test/1"), 1))
        #expect(client.received.starts(with: Preface.server(choosing: 1)))
        #expect(names(client) == ["response 1"])
        #expect(client.principal == nil)
        client.send(key("key", 2))
        #expect(names(client) == ["response 1", "response 2"])
        #expect(client.principal == ScriptedClient.principal)
        client.send(frame(3))
        #expect(client.requests.count == 1)
    }

    @Test func aKnownCertificateOpensTheConnectionAtOnce() throws {
        let client = ScriptedClient(principal: ScriptedClient.principal)
        client.send(Preface.client + request(HelloRequest(software: "test/1"), 1) + frame(2))
        #expect(client.requests.count == 1)
        let helloAnswer = try #require(client.frames.first).payload.withUnsafeBytes {
            try HelloRequest.decodeAnswer($0)
        }
        #expect(helloAnswer.isAuthenticated)
        #expect(helloAnswer.clock == client.now.wall)
    }

    @Test func theThirdWrongKeyEndsTheConnection() throws {
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
    func theHandshakeHasFiveSeconds(_ phase: String, _ said: [String]) throws {
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

    @Test func theTransportHandshakeHasNoDeadlineOfTheSession() {
        var session = ServerSession(limits: SessionLimits(), helloAnswer: .scripted(), now: 1_000)
        let before = session.deadline
        #expect(before == nil)
        let step = Preface.client.withUnsafeBytes { session.received($0, at: ScriptedClient().now) }
        #expect(step == (0, .needMore), "no byte is read before the transport is ready")
        session.transportReady(principal: nil, at: 3_000)
        session.transportReady(principal: ScriptedClient.principal, at: 9_000)
        let (deadline, principal) = (session.deadline, session.principal)
        #expect(deadline == 8_000)
        #expect(principal == nil, "the second call is ignored")
    }

    // MARK: Requests

    /// Each step is prime to 500 and 600, so that every request is answered.
    @Test(arguments: [1, 499, 7, 331])
    func requestsAreAnsweredInAnyOrder(_ step: Int) throws {
        let client = try open()
        var waiting: [UInt64] = []
        for round: UInt64 in 0..<2 {
            let ids = (0..<500).map { 3 + round * 1_500 + $0 * 3 }
            for id in ids { client.send(frame(id)) }
            waiting += ids
            let order = (0..<waiting.count).map { $0 * step % waiting.count }.prefix(round == 0 ? 400 : waiting.count)
            for id in order.map({ waiting[$0] }) {
                let before = client.requestsInFlight
                client.session.respond(done, id: id)
                // These are not outstanding.
                client.session.respond(done, id: id)
                client.session.respond(done, id: id + 1)
                try #require(client.requestsInFlight == before - 1)
            }
            waiting = waiting.enumerated().filter { !order.contains($0.offset) }.map(\.element)
        }
        client.listen()
        #expect(waiting.isEmpty)
        #expect(Set(names(client)).count == 1_000)
    }

    @Test func aRequestAboutAnotherAppIsReadRight() throws {
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

    @Test func answersAreSentInTheOrderInWhichTheyAreKnown() throws {
        let client = try open()
        client.send(frame(3) + frame(4) + frame(9))
        #expect(client.requestsInFlight == 3)
        client.session.respond(done, id: 9)
        client.session.fail(ErrorReply(.notFound, message: "no"), id: 3, at: 1_000)
        client.session.respond(done, id: 4)
        // These are not outstanding.
        client.session.respond(done, id: 4)
        client.session.fail(ErrorReply(.notFound, message: "no"), id: 77, at: 1_000)
        client.listen()
        #expect(names(client) == ["response 9", "NOT_FOUND 3", "response 4"])
        #expect(client.requestsInFlight == 0)
    }

    @Test func aChangeIsAnsweredByItsOwnAnswerOnly() throws {
        let client = try open()
        client.send(request(UnregisterRequest(app: Self.app, device: .id(DeviceID(rawValue: 7))), 3))
        let answers: [ChangeAnswer] = [.updated(DeviceID(rawValue: 7)), .unregistered(DeviceID(rawValue: 7))]
        let areWritten = answers.map { client.session.respond($0, to: .unregister, id: 3) }
        #expect(areWritten == [false, true])
        client.listen()
        #expect(names(client) == ["response 3"])
        let isIgnored = client.session.respond(.unregistered(nil), to: .unregister, id: 3)
        #expect(isIgnored, "request 3 is answered")
        client.listen()
        #expect(names(client) == ["response 3"])
    }

    @Test func tooManyOutstandingRequestsStopTheReading() throws {
        var limits = SessionLimits()
        limits.requestsInFlight = 2
        let client = try open(limits)
        client.send(frame(3) + frame(4) + frame(5))
        #expect(client.requests.count == 2)
        #expect(!client.mayRead)
        // While the session itself stops the reading, silence ends nothing.
        #expect(client.deadline == nil)
        wait(60_000, client)
        #expect(names(client).isEmpty)
        client.session.respond(done, id: 3)
        #expect(client.mayRead)
        client.send([])
        #expect(client.requests.count == 3)
    }

    @Test func aConnectionIsClosedAtItsErrorLimit() throws {
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

    @Test func silenceIsAnsweredWithAPingAndThenWithTheEnd() throws {
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

    @Test func aFrameMustComeToItsEnd() throws {
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

    @Test func pingsAreAnsweredAndTooManyEndTheConnection() throws {
        let client = try open()
        client.send(ping(1))
        client.now.uptime += 10_000
        client.send(ping(2) + ping(3))
        #expect(names(client) == ["pong", "pong", "pong"])
        client.send(ping(4))
        #expect(client.lastError?.code == .tooManyPings)
        #expect(client.isClosed)
    }

    // MARK: The end

    @Test func drainingHasTwoSteps() throws {
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
        client.session.respond(done, id: 3)
        #expect(!client.isClosed)
        client.session.respond(done, id: 5)
        #expect(client.isClosed)
    }

    @Test func aClientWithOtherRightsIsDrained() throws {
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
        client.session.respond(done, id: 3)
        client.session.respond(done, id: 5)
        #expect(client.isClosed)
    }

    @Test(arguments: [false, true])
    func aRevokedKeyGetsTheAnswersToEarlierRequestsOnly(_ isDraining: Bool) throws {
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
        client.session.respond(done, id: 3)
        #expect(client.isClosed)
    }

    @Test func aCertificateThatIsRevokedBeforeHELLODoesNotAuthenticate() throws {
        let client = ScriptedClient(principal: ScriptedClient.principal)
        client.session.principalChanged(to: nil, at: client.now.uptime, reconnectAfterMilliseconds: 500)
        try client.enter(phase: "auth")
        client.send(frame(3))
        client.listen()
        #expect(names(client) == ["WRONG_PHASE 3"])
    }

    @Test func aRequestRefusedWhileDrainingUsesUpItsID() throws {
        let client = try open()
        client.send(frame(3))
        client.session.beginDraining(at: client.now.uptime, reconnectAfterMilliseconds: 0)
        wait(1_000, client)
        client.send(frame(6) + frame(6))
        #expect(names(client).suffix(2) == ["DRAINING 6", "BAD_REQUEST_ID 0"])
    }

    @Test func requestsSentBeforeTheGOAWAYWasSeenAreNoFault() throws {
        let client = try open()
        client.send(frame(3))
        client.session.beginDraining(at: client.now.uptime, reconnectAfterMilliseconds: 0)
        wait(1_000, client)
        for id in 6...2_006 as ClosedRange<UInt64> { client.send(frame(id)) }
        #expect(names(client).last == "DRAINING 2006")
        #expect(!client.isClosed)
    }

    @Test func drainingEndsAtItsTimeout() throws {
        let client = try open()
        client.send(frame(3))
        client.session.beginDraining(at: client.now.uptime, reconnectAfterMilliseconds: 0)
        wait(1_000, client)
        wait(18_999, client)
        #expect(!client.isClosed)
        wait(1, client)
        #expect(client.isClosed)
    }

    @Test func aClientThatHasClosedItsSendingDirectionGetsItsAnswers() throws {
        let client = try open()
        client.send(frame(3) + frame(4))
        client.session.inputClosed()
        #expect(!client.mayRead)
        client.session.respond(done, id: 3)
        #expect(!client.isClosed)
        client.session.respond(done, id: 4)
        client.listen()
        #expect(client.isClosed)
        #expect(names(client) == ["response 3", "response 4"])
    }

    @Test(arguments: [true, false])
    func aConnectionThatEndsDuringTheKeyCheckIsClosed(_ isGood: Bool) throws {
        let client = ScriptedClient()
        try client.enter(phase: "auth")
        _ = client.receive(key("key", 2))
        client.session.inputClosed()
        #expect(!client.isClosed)
        client.session.authenticated(as: isGood ? ScriptedClient.principal : nil, id: 2)
        client.listen()
        #expect(client.isClosed)
        #expect(names(client) == [isGood ? "response 2" : "AUTHENTICATION_FAILED 2"])
    }

    // MARK: Answers that are too long

    /// A session in phase auth whose client accepts the smallest payloads.
    private func smallReceiver() -> ScriptedClient {
        let client = ScriptedClient()
        client.send(Preface.client + request(HelloRequest(software: "test/1", receiveLimit: 4_096), 1))
        return client
    }

    @Test(arguments: [0, 30, 60, 1_000])
    func grantsThatDoNotFitAreLeftOutOfTheAnswerAndStillHold(_ count: Int) throws {
        let client = smallReceiver()
        _ = client.receive(key("key", 2))
        let grants = (0..<count).map { number in
            let name = String(repeating: "a", count: 100 + number % 50) + ".\(number)"
            return Grant(app: AppID(name), roles: .send)
        }
        let principal = Principal(name: "many", grants: grants)
        client.session.authenticated(as: principal, id: 2)
        client.listen()
        let payload = try #require(client.frames.last).payload
        let identity = try payload.withUnsafeBytes { try AuthenticateRequest.decodeAnswer($0) }
        #expect(identity.grants == Array(grants.prefix(identity.grants.count)))
        #expect(payload.count <= 4_096)
        #expect(identity.grants.count == count || payload.count + 160 > 4_096, "no more are left out than must be")
        #expect(client.principal == principal)
    }

    @Test(arguments: [100, 3_900, 5_000, 216_000])
    func anAudienceThatDoesNotFitIsLeftOut(_ bytes: Int) throws {
        let client = smallReceiver()
        client.send(key("key", 2) + frame(3))
        var status = MessageStatus(
            state: .finished, acceptedAt: client.now.wall, finishedAt: client.now.wall, total: 1,
            outcomes: [.delivered: 1])
        status.audience = String(repeating: "a", count: bytes)
        client.session.respond(.status(status), id: 3)
        client.listen()
        let payload = try #require(client.frames.last).payload
        if bytes > 4_000 { status.audience = nil }
        #expect(try payload.withUnsafeBytes { try MessageStatusRequest.decodeAnswer($0) } == status)
    }

    /// The groups of a device, the sets of a condition and a trace have no pages: an answer beyond what the client
    /// takes is refused.
    @Test func anAnswerBeyondTheReceiveLimitIsAnErrorOfTheRequest() throws {
        let client = ScriptedClient()
        var writer = FrameWriter()
        writer.raw(Preface.client)
        writer.request(HelloRequest(software: "test/1", receiveLimit: 4_096), id: 1)
        client.send(writer.take() + key("key", 2))
        let query = MembershipsRequest(app: Self.app, device: .id(DeviceID(rawValue: 1)), limit: 10)
        client.send(request(query, 3))
        client.send(request(ExplainRequest(app: Self.app, condition: .all), 4))
        client.send(request(ExplainRequest(app: Self.app, condition: .all), 5))
        client.send(request(TraceRequest(app: Self.app, id: MessageID(rawValue: 1), device: query.device), 6))

        let group = try #require(GroupName(String(repeating: "g", count: 200)))
        let groups = Array(repeating: Memberships.Membership(group: group, isMuted: false), count: 21)
        let memberships = Memberships(
            device: DeviceID(rawValue: 1), isMuted: false, groups: groups, topics: [], next: nil)
        client.session.respond(EncodedAnswer(memberships, to: MembershipsRequest.self), id: 3)
        client.listen()
        #expect(client.lastError?.field == "limit")

        let term = Explanation.Term(set: String(repeating: "t", count: 4_096), devices: 1)
        let long = Explanation(condition: "all", devices: 1, terms: [term])
        client.session.respond(EncodedAnswer(long, to: ExplainRequest.self), id: 4)
        client.listen()
        #expect(client.lastError?.code == .invalidArgument)
        #expect(client.lastError?.field == "condition")

        let trace = MessageTrace(
            device: DeviceID(rawValue: 1), isQuarantined: false, state: .sending, addressing: .notAddressed,
            sources: [], outcome: .pending, isMuted: false, mutedGroups: groups.map(\.group), language: nil,
            silentBudgetLeft: nil, attempts: [], nextAttemptAt: nil)
        client.session.respond(EncodedAnswer(trace, to: TraceRequest.self), id: 6)
        client.listen()
        #expect(client.lastError?.code == .invalidArgument)
        #expect(client.lastError?.field == nil)

        let short = Explanation(condition: "all", devices: 1, terms: [])
        client.session.respond(EncodedAnswer(short, to: ExplainRequest.self), id: 5)
        client.listen()
        #expect(names(client).suffix(2) == ["INVALID_ARGUMENT 6", "response 5"], "the connection goes on")
    }
}
