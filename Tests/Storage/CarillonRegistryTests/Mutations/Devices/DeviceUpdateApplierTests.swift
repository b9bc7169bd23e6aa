import CarillonCore
import CarillonRegistry
import CarillonRegistryTestKit
import Testing

/// UPDATE_DEVICE (Protocol 7.5): the language, the attributes and the mute of a known device.
struct DeviceUpdateApplierTests {
    private let scratch = RegistryDirectory()

    @Test func `an unknown device is not found`() throws {
        let registry = try scratch.open()
        #expect(try registry.apply(.updateDevice(9, isMuted: true)) == .refused(.notFound))
    }

    @Test func `an attribute beyond the limit is refused`() throws {
        let registry = try scratch.open()
        try registry.apply(.register(1))
        let attributes = Dictionary(uniqueKeysWithValues: (0..<17).map { ("a\($0)", "x") })
        #expect(try registry.apply(.updateDevice(1, attributes: attributes)) == .refused(.tooMany(.attributes)))
    }

    @Test func `a device is muted by itself or by a group of its`() throws {
        let registry = try scratch.open()
        try registry.apply([
            .register(1), .register(2, groups: ["user/1"]), .register(3), .mute("user/1"),
            .updateDevice(1, isMuted: true),
            .accept(.sample(to: [byToken(1), byToken(2), byToken(3)]), now: timestamp(1_000)),
        ])
        let first = messageID(1)
        func finalOutcomes() throws -> [Outcome?]? {
            try registry.pendingRecipients(of: first, page: 0)?.recipients.map(\.finalOutcome)
        }
        #expect(try finalOutcomes() == [.muted, .muted, nil])
        #expect(try registry.device(byToken(1), of: game)?.isMuted == true)
        #expect(try registry.device(byToken(2), of: game)?.isMuted == false)
        let memberships = try registry.memberships(of: byToken(2), app: game, after: "", limit: 9)
        #expect(memberships?.groups == [.init(group: "user/1", isMuted: true)])
        #expect(memberships?.topics == [])
        try registry.apply([
            .register(1, now: 2_000), .leave("user/1", devices: [byToken(2)]), .join("user/1", devices: [byToken(3)]),
        ])
        #expect(try finalOutcomes() == [.muted, nil, .muted])
        try registry.apply([.updateDevice(1, isMuted: false), .updateGroup("user/1", isMuted: false)])
        #expect(try finalOutcomes() == [nil, nil, nil])
        #expect(try registry.verify() == [])
    }
}
