import CarillonClient

// The example of the README. It is only compiled; `test_documentation.py` compares its lines with those of the README.

// README: begin
/// Registers the phone with this token, pushes to it, and returns the outcome.
func push(to token: DeviceToken, apiKey: String) async throws -> MessageStatus {
    let server = CarillonClient.Configuration(
        address: .tcp(host: "push.internal", port: 7474), security: .tls(), apiKey: .value(apiKey))
    return try await withCarillonClient(configuration: server) { client in
        let game = client.app("com.example.game")
        let phone = try await game.register(DeviceAddress(environment: .production, kind: .device, token: token))
        let message = try await game.send(.alert(title: "Raid", body: "Tonight at 21:00"), to: .device(phone.id))
        return try await game.waitUntilFinished(message.id, timeout: .seconds(30))
    }
}
// README: end
