import CarillonClient

/// Registers a device; the client says when it was seen: now.
func register(_ token: String) async throws(CarillonError) {
    try await withCarillonClient(configuration: .fromEnvironment()) { client throws(CarillonError) in
        let device = try await client.defaultApp.register(
            address(token), locale: "de-AT", attributes: [AttributeChange(key: "platform", value: "ios")!])
        print("device", device.id, device.result)
    }
}
