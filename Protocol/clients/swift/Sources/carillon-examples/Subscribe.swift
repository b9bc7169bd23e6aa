import CarillonClient

/// The device joins a group, and the group is subscribed to a topic.
func subscribe(_ token: String, group name: String, topic topicName: String) async throws(CarillonError) {
    try await withCarillonClient(configuration: .fromEnvironment()) { client throws(CarillonError) in
        let app = try client.defaultApp
        let group = try group(name)
        let joined = try await app.join(group, devices: [.address(address(token))])
        print("joined", joined.joined)
        let subscribed = try await app.subscribe(to: [topic(topicName)], groups: [group])
        print("changed", subscribed.changed)
    }
}
