import CarillonClient
import CarillonCore

/// The example of the README. It is only compiled; `test_documentation.py` compares its lines with those of the README.
enum ReadmeExample {
    // The lines are broken as in the README.
    // swift-format-ignore
    static func body(app: AppID, deviceAddress: DeviceAddress, apiKey: String) async throws -> MessageStatus {
        // README: begin
        // app: AppID("com.example.game"); deviceAddress: environment, token kind and token; apiKey: of make-key, see below.
        let client = CarillonClient(configuration: .init(
            address: .tcp(host: "push.internal", port: 7474), security: .tls(), apiKey: apiKey))
        let phone = try await client.register(Registration(app: app, address: deviceAddress))
        let accepted = try await client.send(Message(
            content: MessageContent(app: app, pushType: .alert, payload: try PushNotification(
                alert: .init(title: "Raid", body: .localized(key: "RAID_BODY", arguments: ["21:00"])),
                badge: 3, sound: "horn.caf", data: ["raid": 77]).payload()),
            devices: [.id(phone.id)]))
        let status = try await client.waitUntilFinished(accepted.id, app: app, timeout: .seconds(30))
        // README: end
        return status
    }
}
