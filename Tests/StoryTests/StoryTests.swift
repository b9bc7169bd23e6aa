import CarillonClient
import CarillonCore
import Testing

/// The steps of `Protocol/python/story.py`, made by the Swift client on the same server after the Python client.
@Suite struct StoryTests {
    private let app = AppID("com.example.game")!

    private func token(_ byte: UInt8) -> DeviceToken { DeviceToken(Array(repeating: byte, count: 32))! }

    private func address(_ byte: UInt8) -> DeviceAddress {
        DeviceAddress(environment: .production, kind: .device, token: token(byte))
    }

    @Test(.timeLimit(.minutes(2))) func fromARegisterCallToTheDevice() async throws {
        let servers = try await StoryServers(withPythonStory: true)
        let configuration = CarillonClient.Configuration(
            address: .tcp(host: "127.0.0.1", port: servers.port), security: .plaintext, apiKey: servers.key)
        let client = CarillonClient(configuration: configuration)

        #expect(try await client.ping() > .zero)

        // Three phones register in one batch.
        let registered = await client.register((1...3).map { Registration(app: app, address: address($0)) })
        let devices = try registered.map { try $0.get().id }
        #expect(try registered.map { try $0.get().result } == [.created, .created, .created])
        #expect(try await client.lookup(.address(address(1)), app: app).id == devices[0])

        // The second gets a new token and keeps its id.
        let replaced = try await client.register(
            Registration(app: app, address: address(4), replaces: token(2)))
        #expect(replaced.id == devices[1])
        #expect(replaced.result == .replaced)

        // All three are sent to, by token and by id; the same again is the same message, another body is refused.
        let content = MessageContent(
            app: app, pushType: .alert, payload: Array(#"{"aps":{"alert":"story"}}"#.utf8))
        let message = Message(
            key: .random(), content: content,
            devices: [.address(address(1)), .address(address(4)), .id(devices[2]), .id(devices[0])])
        let accepted = try await client.send(message)
        #expect(accepted.total == 3)
        #expect(accepted.isDuplicate == false)
        let again = try await client.send(message)
        #expect(again.id == accepted.id)
        #expect(again.isDuplicate)
        var other = message
        other.content.payload = Array(#"{"aps":{"alert":"another"}}"#.utf8)
        await #expect(throws: CarillonError.self) { try await client.send(other) }

        // Every device ends in an outcome.
        let status = try await client.waitUntilFinished(accepted.id, app: app, timeout: .seconds(60))
        #expect(status.outcomes == [.delivered: 3])
        var outcomes: [RecipientOutcome] = []
        for try await outcome in client.outcomes(of: accepted.id, app: app) { outcomes.append(outcome) }
        #expect(outcomes == devices.sorted().map { RecipientOutcome(device: $0, outcome: .delivered) })

        // The third is unregistered; a late registration does not restore it; a send to it ends at once.
        #expect(try await client.unregister(.id(devices[2]), app: app) == devices[2])
        do {
            let late = Timestamp(milliseconds: 1)
            _ = try await client.register(Registration(app: app, address: address(3), seenAt: late))
            Issue.record("a registration older than the unregistration was taken")
        } catch {
            #expect(error.code == .server(.stale))
            #expect(error.effect == .notExecuted)
        }
        var unregistered = Message(content: content, devices: [.address(address(3))])
        unregistered.key = .random()
        let ended = try await client.send(unregistered)
        #expect(ended.total == 1)
        #expect(ended.ended == 1)
        #expect(
            try await client.status(of: ended.id, app: app).outcomes == [.unregistered: 1])
        await client.close()
    }
}
