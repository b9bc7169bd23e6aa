import CarillonClient
import CarillonCore
import CarillonTestKit
import CarillonWire
import Testing

private let app = TestApps.game

/// The deadline of a call: what the server is told, and the error when it has passed.
@Suite(.cleansUp, .timeLimit(.minutes(10)))
struct CallDeadlineTests {
    @Test func `the server is told of the deadline`() async throws {
        let server = try await ScriptedServer.start()
        let client = scriptedClient(of: server, timeout: .seconds(20))
        async let found = client.lookup(.id(Samples.device.id), app: app)
        let peer = try await server.accept()
        guard case .request(let id, _, let common) = await peer.next() else {
            throw ScriptedServer.UnexpectedPeerAction.event(nil)
        }
        #expect(try (1...20_000).contains(#require(common.deadlineMilliseconds)))
        peer.answer(id, Samples.device, to: LookupRequest.self)
        #expect(try await found == Samples.device)
    }

    @Test func `no answer is a timeout of unknown effect`() async throws {
        let server = try await ScriptedServer.start()
        let patient = scriptedClient(of: server)
        try await patient.connect()
        let client = patient.with(timeout: .milliseconds(100))
        // On a busy machine the time of a call can be over before it is sent: it has no effect, and the next is made.
        var error: CarillonError?
        repeat {
            error = await failure { () throws(CarillonError) in try await client.register(Samples.registration) }
        } while error?.code == .noAnswer && error?.effect == .notExecuted
        #expect(error?.code == .noAnswer)
        #expect(error?.effect == .unknown)
        _ = try await server.accept().request(RegisterRequest.self)
    }

    @Test func `a read without an answer has no effect`() async throws {
        let server = try await ScriptedServer.start()
        let patient = scriptedClient(of: server)
        try await patient.connect()
        let client = patient.with(timeout: .milliseconds(100))
        let error = await failure { () throws(CarillonError) in
            try await client.lookup(.id(Samples.device.id), app: app)
        }
        #expect(error?.code == .noAnswer)
        #expect(error?.effect == .notExecuted)
    }

    @Test func `a call that ends without a connection says that there is none`() async throws {
        let port = RefusingPort().number
        var configuration = scriptedConfiguration(port)
        configuration.requestTimeout = .milliseconds(100)
        let client = CarillonClient(configuration: configuration)
        // On a busy machine the time of a call can be over before the first attempt to connect has failed.
        var error: CarillonError?
        repeat {
            error = await failure { () throws(CarillonError) in try await client.register(Samples.registration) }
        } while error?.code == .noAnswer
        #expect(error?.code == .cannotConnect)
        #expect(error?.effect == .notExecuted)
    }
}
