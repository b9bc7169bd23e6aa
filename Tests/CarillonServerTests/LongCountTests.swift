import CarillonCore
import CarillonWire
import Dispatch
import Testing

@testable import CarillonServer

/// SEND to an audience that takes long to count: the message is accepted at once, its answer waits for the count, and
/// nothing else waits.
struct LongCountTests {
    private let game = ScriptedConnection.game
    private let id = MessageID(rawValue: 7)

    private func message() throws -> Message {
        let content = MessageContent(app: game, pushType: .alert, payload: Array(#"{"aps":{"alert":"hi"}}"#.utf8))
        return Message(key: .zero, content: content, audience: .condition(try Condition("!('a' in topics)")))
    }

    /// A registry that accepts messages without counting them.
    private func registry(_ count: @escaping @Sendable (MessageID) throws(RegistryError) -> UInt64?) -> FakeRegistry {
        FakeRegistry(count: count) { [id] change in
            switch change {
            case .accept:
                var acceptance = Acceptance(id: id, isDuplicate: false, total: 0, ended: 0)
                acceptance.isCounted = false
                return .accepted(acceptance, nil)
            case .setAudienceCount(_, let devices): return .audienceCounted(devices: devices)
            case .updateMessage: return .messageUpdated(.sending, nil)
            default: return .applied
            }
        }
    }

    /// Waits for the answer of a request that another thread works on.
    private func answer(of client: ScriptedConnection) throws -> String {
        while true {
            let answer = try client.answer()
            if answer != "none" { return answer }
        }
    }

    @Test func otherRequestsGoOnWhileAnAudienceIsCounted() throws {
        let release = DispatchSemaphore(value: 0)
        let registry = registry { _ throws(RegistryError) in
            release.wait()
            return 5
        }
        let client = try ScriptedConnection(as: "all", registry: registry)
        #expect(try client.send(message()) == "none")
        let neighbour = try ScriptedConnection(as: "all", registry: registry)
        let pause = UpdateMessageRequest(app: game, id: id, messageUpdate: .pause)
        #expect(try neighbour.send(pause) == "OK")
        #expect(try client.answer() == "none")
        release.signal()
        #expect(try answer(of: client) == "OK")
        #expect(registry.changes.last == .setAudienceCount(id, devices: 5))
    }

    @Test func aCountThatFailsLeavesTheEffectUnknown() throws {
        let registry = registry { _ throws(RegistryError) in throw .overloaded }
        let client = try ScriptedConnection(as: "all", registry: registry)
        #expect(try client.send(message()) == "none")
        #expect(try answer(of: client) == "DRAINING")
        #expect(ErrorReply.uncounted.effect == .unknown)
    }
}
