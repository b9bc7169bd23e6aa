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
        client.session.clientAuthenticated(as: principal, id: 2)
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

    /// Three answers have no pages: the groups of a device, the sets of a condition, and a trace.
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
