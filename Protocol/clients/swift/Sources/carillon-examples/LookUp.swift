import CarillonClient

/// Looks up a device and its memberships; then an unknown token, whose error it handles.
func lookUp(_ token: String, unknown: String) async throws(CarillonError) {
    try await withCarillonClient(configuration: .fromEnvironment()) { client throws(CarillonError) in
        let app = try client.defaultApp
        let device = try await app.lookup(.address(address(token)))
        let attributes = device.attributes.entries.map { "\($0.key.name)=\($0.value.text)" }.joined(separator: " ")
        print("device", device.id, device.state, device.locale ?? "", attributes)
        let memberships = try await app.memberships(of: .id(device.id))
        for membership in memberships.groups { print("group", membership.group) }
        for holding in memberships.topics {
            print("topic", holding.topic, holding.source.map { "through \($0)" } ?? "itself")
        }
        do throws(CarillonError) {
            _ = try await app.lookup(.address(address(unknown)))
        } catch {
            guard error.code == .notFound else { throw error }
            print(error.code, error.effect.name, error.field ?? "")
        }
    }
}
