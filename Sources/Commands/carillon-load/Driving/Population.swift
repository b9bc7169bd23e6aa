import CarillonCore

/// The devices, groups and topics of the load. They are computed from a seed and not kept in memory.
struct Population: Sendable {
    let app: AppID
    let seed: UInt64
    var deviceCount: Int
    let groupSize: Int
    let topicCount: Int

    var groupCount: Int { (deviceCount + groupSize - 1) / groupSize }

    /// The number of the first device that is registered while the load runs, at least `deviceCount`.
    let firstNewDevice: Int

    func address(ofDevice number: Int) -> DeviceAddress {
        var generator = SeededGenerator(seed: seed ^ UInt64(number) &* 0xD6E8_FEB8_6659_FD93)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(32)
        for _ in 0..<4 { withUnsafeBytes(of: generator.next()) { bytes.append(contentsOf: $0) } }
        guard let token = DeviceToken(bytes) else { preconditionFailure("32 bytes are a token") }
        return DeviceAddress(environment: .production, kind: .device, token: token)
    }

    /// Returns the name of a group that exists before the load.
    func group(_ number: Int) -> GroupName { Self.name("load/user/\(number)", GroupName.init) }

    /// Returns the name of a topic that exists before the load.
    func topic(_ number: Int) -> TopicName { Self.name("load/topic/\(number)", TopicName.init) }

    /// Returns the name of a topic that devices subscribe to while the load runs. No push is sent to it, so that
    /// audiences stay as they are.
    func subscribedTopic(_ number: Int) -> TopicName { Self.name("load/wish/\(number)", TopicName.init) }

    private static func name<Name>(_ text: String, _ make: (String) -> Name?) -> Name {
        guard let name = make(text) else { preconditionFailure("\(text) is a name") }
        return name
    }

    /// Returns the registration of a device before the load: in one group and one topic.
    func registration(ofDevice number: Int) -> Registration {
        var registration = Registration(app: app, address: address(ofDevice: number), seenAt: .zero)
        registration.groups = [group(number / groupSize)]
        registration.topics = [topic(number % topicCount)]
        return registration
    }
}
