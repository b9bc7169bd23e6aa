import CarillonClient

let configuration = try CarillonClient.Configuration.fromEnvironment()
try await withCarillonClient(configuration: configuration) { client in
    print("connected to", try await client.serverInfo().software)
    let game = client.app("com.example.game")

    let token = DeviceToken(hex: CommandLine.arguments[1])!
    let device = try await game.register(
        DeviceAddress(environment: .production, kind: .device, token: token), locale: "de-AT")
    print("device", device.id)
}
