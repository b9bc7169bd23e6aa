import CarillonClient
import CarillonCore
import Testing

/// The steps of the story. Each expects what the step before it has left.
struct Story {
    let client: CarillonClient

    private let app = AppID("com.example.game")!
    private let content: MessageContent

    init(client: CarillonClient) {
        self.client = client
        content = MessageContent(app: app, pushType: .alert, payload: Array(#"{"aps":{"alert":"story"}}"#.utf8))
    }

    private func token(_ byte: UInt8) -> DeviceToken { DeviceToken(Array(repeating: byte, count: 32))! }

    private func address(_ byte: UInt8) -> DeviceAddress {
        DeviceAddress(environment: .production, kind: .device, token: token(byte))
    }

    func threePhonesRegisterInOneBatch() async throws -> [DeviceID] {
        let registered = await client.register((1...3).map { Registration(app: app, address: address($0)) })
        let devices = try registered.map { try $0.get().id }
        #expect(try registered.map { try $0.get().result } == [.created, .created, .created])
        #expect(try await client.lookup(.address(address(1)), app: app).id == devices[0])
        return devices
    }

    /// Registers the second phone with a new token.
    func thePhoneGetsANewTokenAndKeepsItsID(_ device: DeviceID) async throws {
        let replaced = try await client.register(Registration(app: app, address: address(4), replaces: token(2)))
        #expect(replaced.id == device)
        #expect(replaced.result == .replaced)
    }

    /// Sends to all three phones. The same again is the same message; another body with its key is refused.
    func allThreeAreSentToByTokenAndByID(_ devices: [DeviceID]) async throws -> MessageID {
        let message = Message(
            idempotencyKey: .random(), content: content,
            audience: .devices([.address(address(1)), .address(address(4)), .id(devices[2]), .id(devices[0])]))
        let accepted = try await client.send(message)
        #expect(accepted.total == 3)
        #expect(!accepted.isDuplicate)
        let again = try await client.send(message)
        #expect(again.id == accepted.id)
        #expect(again.isDuplicate)
        var other = message
        other.content.payload = Array(#"{"aps":{"alert":"another"}}"#.utf8)
        await #expect(throws: CarillonError.self) { try await client.send(other) }
        return accepted.id
    }

    func everyDeviceEndsInAnOutcome(_ devices: [DeviceID], of message: MessageID) async throws {
        let status = try await client.waitUntilFinished(message, app: app, timeout: .seconds(60))
        #expect(status.outcomes == [.delivered: 3])
        var outcomes: [RecipientOutcome] = []
        for try await outcome in client.outcomes(of: message, app: app) { outcomes.append(outcome) }
        #expect(outcomes == devices.sorted().map { RecipientOutcome(device: $0, outcome: .delivered) })
    }

    /// Unregisters the third phone, whose late registration is then refused.
    func anUnregisteredDeviceIsNotRestoredByALateRegistration(_ device: DeviceID) async throws {
        #expect(try await client.unregister(.id(device), app: app) == device)
        let late = Registration(app: app, address: address(3), seenAt: Timestamp(milliseconds: 1))
        let error = await #expect(throws: CarillonError.self) { try await client.register(late) }
        #expect(error?.code == .server(.stale))
        #expect(error?.effect == .notExecuted)
    }

    func aSendToAnUnregisteredDeviceEndsAtOnce() async throws {
        let message = Message(idempotencyKey: .random(), content: content, audience: .devices([.address(address(3))]))
        let ended = try await client.send(message)
        #expect(ended.total == 1)
        #expect(ended.ended == 1)
        #expect(try await client.status(of: ended.id, app: app).outcomes == [.unregistered: 1])
    }
}
