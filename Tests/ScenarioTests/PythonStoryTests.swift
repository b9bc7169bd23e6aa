import CarillonClient
import CarillonCore
import Testing

/// The steps of `Protocol/clients/python/tests/story.py`, made by the Swift client on the same server after the Python
/// client.
@Suite(.timeLimit(.minutes(10))) struct PythonStoryTests {
    @Test func `the Swift client tells the story of the Python client`() async throws {
        let servers = try await StoryServers(withPythonStory: true)
        let client = CarillonClient(
            configuration: .init(
                address: .tcp(host: "127.0.0.1", port: servers.port), security: .plaintext, apiKey: .value(servers.key))
        )
        let story = Story(client: client)

        #expect(try await client.ping() > .zero)
        let devices = try await story.threePhonesRegisterInOneBatch()
        try await story.thePhoneGetsANewTokenAndKeepsItsID(devices[1])
        let message = try await story.allThreeAreSentToByTokenAndByID(devices)
        try await story.everyDeviceEndsInAnOutcome(devices, of: message)
        try await story.anUnregisteredDeviceIsNotRestoredByALateRegistration(devices[2])
        try await story.aSendToAnUnregisteredDeviceEndsAtOnce()
        await client.close()
    }
}
