import CarillonClient

/// The example of the README. It is only compiled; `test_documentation.py` compares its lines with those of the README.
enum ReadmeExample {
    // The lines are broken as in the README.
    // swift-format-ignore
    static func body(deviceAddress: DeviceAddress, apiKey: String) async throws -> MessageStatus {
        // README: begin
        // deviceAddress: environment, token kind and token; apiKey: of make-key, see below.
        let status = try await withCarillonClient(configuration: .init(
            address: .tcp(host: "push.internal", port: 7474), security: .tls(), apiKey: apiKey)
        ) { client in
            let game = client.app("com.example.game")
            let phone = try await game.register(deviceAddress)
            let accepted = try await game.send(
                .alert(
                    title: "Raid", body: .localized(key: "RAID_BODY", arguments: ["21:00"]),
                    badge: 3, sound: "horn.caf", data: ["raid": 77]),
                to: .device(phone.id))
            return try await game.waitUntilFinished(accepted.id, timeout: .seconds(30))
        }
        // README: end
        return status
    }
}
