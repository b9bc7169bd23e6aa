import CarillonCore
import CarillonSession
import CarillonWire
import Dispatch
import Testing

@testable import CarillonServer

/// The SEND to an audience that takes long to count: the message is accepted at once, its answer waits for the count,
/// and no other request does.
struct LongCountTests {
    private let game = ScriptedConnection.game
    private let id = MessageID(rawValue: 7)

    /// Makes a registry that accepts messages without counting them.
    private func registry(_ count: @escaping @Sendable (MessageID) throws(RegistryError) -> UInt64?) -> FakeRegistry {
        FakeRegistry(count: count) { [id] change in
            switch change {
            case .accept:
                var acceptance = Acceptance(id: id, isDuplicate: false, total: 0, ended: 0)
                acceptance.isCounted = false
                return .accepted(acceptance, outboxEntry: nil)
            case .setAudienceCount(_, let devices): return .audienceCounted(devices: devices)
            case .updateMessage: return .messageUpdated(.sending, outboxEntry: nil)
            default: return .applied
            }
        }
    }

    /// Runs a SEND to a condition until it is answered.
    private func send(_ runner: RequestRunner, as principal: Principal?) async throws -> Result<
        EncodedAnswer, ErrorReply
    > {
        let content = MessageContent(app: game, pushType: .alert, payload: Array(#"{"aps":{"alert":"hi"}}"#.utf8))
        let message = Message(content: content, audience: .condition(try Condition("!('a' in topics)")))
        let context = RequestContext(
            RequestHead(id: 9, opcode: .send), of: try #require(principal), at: Moment(wall: .zero, uptime: 0))
        return await withCheckedContinuation { answered in
            runner.run(.send(message), in: context, from: "unix") { answered.resume(returning: $0) }
        }
    }

    @Test func otherRequestsGoOnWhileAnAudienceIsCounted() async throws {
        let (counting, counter) = AsyncStream<Void>.makeStream()
        let release = DispatchSemaphore(value: 0)
        let registry = registry { _ throws(RegistryError) in
            counter.yield()
            release.wait()
            return 5
        }
        let client = try ScriptedConnection(as: "all", registry: registry)
        let (runner, principal) = (client.runner, client.principal)
        async let answer = send(runner, as: principal)
        for await _ in counting { break }
        let pause = UpdateMessageRequest(app: game, id: id, messageUpdate: .pause)
        #expect(try client.send(pause) == "OK")
        release.signal()
        let acceptance = Acceptance(id: id, isDuplicate: false, total: 5, ended: 0)
        #expect(try await answer.get() == EncodedAnswer(acceptance, to: SendRequest.self))
        #expect(registry.changes.last == .setAudienceCount(id, devices: 5))
    }

    @Test func aCountThatFailsLeavesTheEffectUnknown() async throws {
        let registry = registry { _ throws(RegistryError) in throw .overloaded }
        let client = try ScriptedConnection(as: "all", registry: registry)
        let answer = try await send(client.runner, as: client.principal)
        guard case .failure(let error) = answer else {
            Issue.record("it was answered")
            return
        }
        #expect(error.code == .draining)
        #expect(error.effect == .unknown)
    }
}
