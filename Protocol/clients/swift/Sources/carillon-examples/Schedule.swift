import CarillonClient

/// Schedules a message in an hour, shows its state, cancels it.
func schedule(_ token: String) async throws(CarillonError) {
    try await withCarillonClient(configuration: .fromEnvironment()) { client throws(CarillonError) in
        let app = try client.defaultApp
        let message = try await app.send(
            .alert(body: "Later"), to: .devices([.address(address(token))]),
            options: .init(sendAt: .fromNow(.seconds(3_600)), label: "later"))
        print("message", message.id, try await app.status(of: message.id).state)
        try await app.updateMessage(message.id, with: .cancel)
        print(try await app.waitUntilFinished(message.id).state)
        try await printOutcomes(of: message.id, app)
    }
}
