import CarillonCore
import CarillonSession
import CarillonWire
import Dispatch
import Synchronization
import Testing

@testable import CarillonServer

/// The SEND to an audience that takes long to count: the message is accepted at once, its answer waits for the count,
/// and no other request does.
struct RequestRunnerLongCountTests {
    private let game = ScriptedConnection.game
    private let id = MessageID(rawValue: 7)

    /// Makes a registry that accepts messages without counting them.
    private func registry(_ count: @escaping @Sendable (MessageID) throws(RegistryError) -> UInt64?) -> FakeRegistry {
        FakeRegistry(count: count) { [id] change in
            switch change {
            case .accept:
                var acceptance = SendResult(id: id, isDuplicate: false, total: 0, ended: 0)
                acceptance.isCounted = false
                return .accepted(acceptance, outbound: nil)
            case .setAudienceCount(_, let devices): return .audienceCounted(devices: devices)
            case .updateMessage: return .messageUpdated(.sending, outbound: nil)
            default: return .applied
            }
        }
    }

    /// The answer of a SEND, which another thread gives.
    private final class SendAnswer: Sendable {
        private let answer = Mutex<Result<EncodedAnswer, RequestError>?>(nil)
        private let isGiven = DispatchSemaphore(value: 0)

        func give(_ answer: Result<EncodedAnswer, RequestError>) {
            self.answer.withLock { $0 = answer }
            isGiven.signal()
        }

        /// Waits for the answer. The test stays on its thread: the event loop of `ScriptedConnection` belongs to it.
        func wait() -> Result<EncodedAnswer, RequestError>? {
            isGiven.wait()
            return answer.withLock { $0 }
        }
    }

    /// Begins a SEND to a condition.
    private func send(to client: ScriptedConnection) throws -> SendAnswer {
        let content = MessageContent(app: game, pushType: .alert, payload: Array(#"{"aps":{"alert":"hi"}}"#.utf8))
        let message = Message(content: content, audience: .condition(try Condition("!('a' in topics)")))
        let context = RequestContext(
            RequestHead(id: 9, opcode: .send), of: try #require(client.principal), at: Moment(wall: .zero, uptime: 0))
        let answer = SendAnswer()
        client.runner.run(.send(message), in: context, from: "unix") { answer.give($0) }
        return answer
    }

    @Test func `other requests go on while an audience is counted`() throws {
        let isCounting = DispatchSemaphore(value: 0)
        let release = DispatchSemaphore(value: 0)
        let registry = registry { _ throws(RegistryError) in
            isCounting.signal()
            release.wait()
            return 5
        }
        let client = try ScriptedConnection(as: "all", registry: registry)
        let answer = try send(to: client)
        isCounting.wait()
        let pause = UpdateMessageRequest(app: game, id: id, messageUpdate: .pause)
        #expect(try client.send(pause) == "OK")
        release.signal()
        let acceptance = SendResult(id: id, isDuplicate: false, total: 5, ended: 0)
        #expect(try answer.wait()?.get() == EncodedAnswer(acceptance, to: SendRequest.self))
        #expect(registry.changes.last == .setAudienceCount(id, devices: 5))
    }

    @Test(arguments: [
        (RegistryError.overloaded, ErrorCode.internal), (.logUnavailable("away"), .internal),
        (.corrupted("a row"), .internal), (.storageFailed("I/O"), .storageFailed), (.closed, .draining),
    ])
    func `a count that fails leaves the effect unknown`(_ cause: RegistryError, _ code: ErrorCode) throws {
        let registry = registry { _ throws(RegistryError) in throw cause }
        let client = try ScriptedConnection(as: "all", registry: registry)
        let answer = try send(to: client)
        let error = try #require(throws: RequestError.self) { try answer.wait()?.get() }
        #expect(error.code == code)
        #expect(error.effect == .unknown)
    }
}
