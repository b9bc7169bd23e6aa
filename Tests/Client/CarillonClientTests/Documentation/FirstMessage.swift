import CarillonClient

// The program at the end of the tutorial "Your first message". It is only compiled;
// `CarillonClientDocumentationTests` compares it with the tutorial.

private func firstMessage() async throws {
    // TUTORIAL: begin
    let configuration = try CarillonClient.Configuration.fromEnvironment()
    try await withCarillonClient(configuration: configuration) { client in
        print("connected to", try await client.serverInfo().software)
        let game = client.app("com.example.game")

        let token = DeviceToken(hex: CommandLine.arguments[1])!
        let device = try await game.register(
            DeviceAddress(environment: .production, kind: .device, token: token), locale: "de-AT")
        print("device", device.id)

        let events = try await game.events(kinds: [.messageFinished])
        let message = try await game.send(
            .alert(title: "Raid", body: "It begins"), to: .device(device.id),
            translations: ["de": .init(body: "Es beginnt")])
        print("message", message.id)
        print(try await game.waitUntilFinished(message.id).outcomes)

        for try await element in events {
            guard case .event(let event) = element, event.message == message.id else { continue }
            print("finished, delivered to", event.count ?? 0)
            break
        }
        await events.close()
    }
    // TUTORIAL: end
}
