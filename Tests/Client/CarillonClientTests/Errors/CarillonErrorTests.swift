import CarillonClient
import CarillonCore
import CarillonTestKit
import CarillonWire
import Testing

private let app = TestApps.game
private let level = TopicName("level5")!

/// The errors that calls throw for refusals of the server.
@Suite(.cleansUp, .timeLimit(.minutes(10)))
struct CarillonErrorTests {
    @Test func `a refusal names its code, its field and its item`() async throws {
        let server = try await ScriptedServer.start()
        let client = scriptedClient(of: server)
        async let error = failure { () throws(CarillonError) in try await client.send(Samples.message) }
        let peer = try await server.accept()
        let (id, _) = try await peer.request()
        let refusal = RequestError(.invalidArgument, message: "not so", field: "devices", limit: 3, item: 2)
        peer.refuse(id, opcode: .send, refusal)
        let found = try #require(await error)
        #expect(found.code == .invalidArgument)
        #expect(found.effect == .notExecuted)
        #expect(found.retryAfter == nil)
        #expect(found.field == "devices")
        #expect(found.limit == 3)
        #expect(found.item == 2)
        #expect(found.attempts == 1)
        #expect(found.key != nil)
        #expect(found.description == "INVALID_ARGUMENT: not so (devices[2])")
    }

    @Test func `a refused condition names the column of its fault`() async throws {
        let server = try await ScriptedServer.start()
        let client = scriptedClient(of: server)
        let call = Task { () async -> CarillonError? in
            do throws(CarillonError) {
                _ = try await client.explain(.topic(level), app: app)
                return nil
            } catch {
                return error
            }
        }
        let peer = try await server.accept()
        let (id, _) = try await peer.request()
        peer.refuse(id, opcode: .explain, RequestError(.invalidArgument, message: "no", field: "condition", column: 9))
        #expect(await call.value?.column == 9)
    }
}
