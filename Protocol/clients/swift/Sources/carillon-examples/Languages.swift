import CarillonClient

/// Sends to a topic in two languages; then counts all devices in a dry run.
func languages(topic name: String) async throws(CarillonError) {
    try await withCarillonClient(configuration: .fromEnvironment()) { client throws(CarillonError) in
        let app = try client.defaultApp
        let raid = PushNotification.alert(title: "Raid", body: "It begins")
        let german = ["de": PushNotification.Alert(body: "Es beginnt")]
        let message = try await app.send(raid, to: .topic(topic(name)), translations: german)
        print("message", message.id, "to", message.total)
        try await printOutcomes(of: message.id, app)
        let all = try await app.send(raid, to: .allDevices, translations: german, options: .init(isDryRun: true))
        print("all devices", all.total)
    }
}
