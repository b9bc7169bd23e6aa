import CarillonClient

/// Sends an alert to one device, waits until the message is finished, shows its outcomes.
func send(_ token: String, text: String) async throws(CarillonError) {
    try await withCarillonClient(configuration: .fromEnvironment()) { client throws(CarillonError) in
        let app = try client.defaultApp
        let message = try await app.send(
            .alert(body: .plain(text)), to: .devices([.address(address(token))]))
        print("message", message.id, "to", message.total)
        try await printOutcomes(of: message.id, app)
    }
}
