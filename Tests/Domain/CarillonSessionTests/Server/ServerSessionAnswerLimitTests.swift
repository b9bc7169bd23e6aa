import CarillonCore
import CarillonSession
import CarillonTestKit
import CarillonWire
import Testing

/// The answers that are longer than the client takes.
struct ServerSessionAnswerLimitTests: ServerSessionScript {
    /// Returns a session in phase auth whose client accepts the smallest payloads.
    private func smallReceiver() -> ScriptedClient {
        let client = ScriptedClient()
        client.send(Preface.clientBytes + request(HelloRequest(software: "test/1", receiveLimit: 4_096), 1))
        return client
    }

    @Test(arguments: [0, 30, 60, 1_000])
    func `grants that do not fit are left out of the answer and still hold`(_ count: Int) throws {
        let client = smallReceiver()
        _ = client.receive(key("key", 2))
        let grants = (0..<count).map { number in
            let name = String(repeating: "a", count: 100 + number % 50) + ".\(number)"
            return Grant(app: AppID(name), roles: .send)
        }
        let principal = Principal(name: "many", grants: grants)
        client.session.clientAuthenticated(as: principal, id: 2)
        client.listen()
        let payload = try #require(client.frames.last).payload
        let identity = try payload.withUnsafeBytes { try AuthenticateRequest.decodeAnswer($0) }
        #expect(identity.grants == Array(grants.prefix(identity.grants.count)))
        #expect(payload.count <= 4_096)
        // The longest grant has fewer than 160 bytes: no more are left out than must be.
        if identity.grants.count < count { #expect(payload.count + 160 > 4_096) }
        #expect(client.principal == principal)
    }

    @Test(arguments: [100, 3_900, 5_000, 216_000])
    func `an audience that does not fit is left out`(_ bytes: Int) throws {
        let client = smallReceiver()
        client.send(key("key", 2) + frame(3))
        var status = MessageStatus(
            state: .finished, acceptedAt: client.now.wall, finishedAt: client.now.wall, total: 1,
            outcomes: [.delivered: 1])
        status.audience = String(repeating: "a", count: bytes)
        client.session.answer(.status(status), id: 3)
        client.listen()
        let payload = try #require(client.frames.last).payload
        if bytes > 4_000 { status.audience = nil }
        #expect(try payload.withUnsafeBytes { try MessageStatusRequest.decodeAnswer($0) } == status)
    }

    // MARK: Answers without pages

    // Three answers have no pages: the groups of a device, the sets of a condition, and a trace.

    private static let device = DeviceReference.id(DeviceID(rawValue: 1))
    private static let trace = TraceRequest(app: app, id: MessageID(rawValue: 1), device: device)

    /// Groups whose names alone are longer than the client takes.
    private static func longGroups() throws -> [GroupName] {
        Array(repeating: try #require(GroupName(String(repeating: "g", count: 200))), count: 21)
    }

    /// Answers EXPLAIN with a set whose name alone is longer than the client takes.
    private func answerTooLong(_ client: ScriptedClient, id: UInt64) {
        let term = Explanation.Term(set: String(repeating: "t", count: 4_096), devices: 1)
        let long = Explanation(condition: "all", devices: 1, terms: [term])
        client.session.answer(EncodedAnswer(long, to: ExplainRequest.self), id: id)
        client.listen()
    }

    @Test func `groups beyond the receive limit are a fault of the limit`() throws {
        let client = smallReceiver()
        client.send(key("key", 2))
        client.send(request(MembershipsRequest(app: Self.app, device: Self.device, limit: 10), 3))
        let groups = try Self.longGroups().map { Memberships.GroupMembership(group: $0, isMuted: false) }
        let memberships = Memberships(
            device: DeviceID(rawValue: 1), isMuted: false, groups: groups, topics: [], next: nil)
        client.session.answer(EncodedAnswer(memberships, to: MembershipsRequest.self), id: 3)
        client.listen()
        #expect(client.lastError?.field == "limit")
    }

    @Test func `sets beyond the receive limit are a fault of the condition`() {
        let client = smallReceiver()
        client.send(key("key", 2))
        client.send(request(ExplainRequest(app: Self.app, condition: .all), 3))
        answerTooLong(client, id: 3)
        #expect(client.lastError?.code == .invalidArgument)
        #expect(client.lastError?.field == "condition")
    }

    @Test func `a trace beyond the receive limit is a fault without a field`() throws {
        let client = smallReceiver()
        client.send(key("key", 2))
        client.send(request(Self.trace, 3))
        var trace = MessageTrace(
            device: DeviceID(rawValue: 1), state: .sending, addressing: .noRecipient, outcome: .pending)
        trace.mutedGroups = try Self.longGroups()
        client.session.answer(EncodedAnswer(trace, to: TraceRequest.self), id: 3)
        client.listen()
        #expect(client.lastError?.code == .invalidArgument)
        #expect(client.lastError?.field == nil)
    }

    @Test func `the connection goes on after an answer beyond the receive limit`() {
        let client = smallReceiver()
        client.send(key("key", 2))
        for id in 3...4 as ClosedRange<UInt64> {
            client.send(request(ExplainRequest(app: Self.app, condition: .all), id))
        }
        answerTooLong(client, id: 3)
        let short = Explanation(condition: "all", devices: 1, terms: [])
        client.session.answer(EncodedAnswer(short, to: ExplainRequest.self), id: 4)
        client.listen()
        #expect(names(client).suffix(2) == ["INVALID_ARGUMENT 3", "answer 4"])
    }
}
