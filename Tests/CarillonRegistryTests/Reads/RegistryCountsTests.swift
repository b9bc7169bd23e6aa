import CarillonCore
import CarillonRegistry
import Testing

/// The counts of apps, groups and topics.
struct RegistryCountsTests {
    private let scratch = RegistryDirectory()

    @Test func eachAppHasItsDevicesGroupsAndTopics() throws {
        let registry = try scratch.open()
        defer { registry.close() }
        #expect(try registry.registryCounts().isEmpty)
        let (game, chat) = (try app("com.example.game"), try app("com.example.chat"))
        for number in 1...3 {
            var registration = Registration(app: game, address: try address(number))
            registration.topics = [try #require(TopicName("level\(number)"))]
            registration.groups = [try #require(GroupName("user/1"))]
            registration.attributes = [try #require(AttributeChange(key: "platform", value: "ios"))]
            _ = try registry.apply(.register(registration, now: Timestamp(milliseconds: 5)))
        }
        _ = try registry.apply(.register(Registration(app: chat, address: try address(1)), now: .zero))
        #expect(
            try registry.registryCounts() == [
                .init(app: chat, devices: 1, quarantined: 0, groups: 0, topics: 0),
                .init(app: game, devices: 3, quarantined: 0, groups: 1, topics: 3),
            ])
    }

    /// More names than one read goes through: none is left out or counted twice where one read ends.
    @Test func manyNamesAreCountedInManyReads() throws {
        let registry = try scratch.open()
        defer { registry.close() }
        let game = try app("com.example.game")
        _ = try registry.apply(.register(Registration(app: game, address: try address(1)), now: .zero))
        let names = try (1...20_001).map { try #require(GroupName("user/\($0)")) }
        for group in names {
            registry.submit(.updateGroup(UpdateGroupRequest(app: game, group: group, isMuted: true)), deadline: nil) {
                _ in
            }
        }
        _ = try registry.apply(.updateGroup(UpdateGroupRequest(app: game, group: names[0], isMuted: true)))
        #expect(
            try registry.registryCounts() == [.init(app: game, devices: 1, quarantined: 0, groups: 20_001, topics: 0)])
    }

    @Test func outboxStatisticsCountUnfinishedAndScheduledMessages() throws {
        let registry = try scratch.open()
        defer { registry.close() }
        let game = try app("com.example.game")
        let now = Timestamp(milliseconds: 1_790_000_000_000)
        _ = try registry.apply(.register(Registration(app: game, address: try address(1)), now: now))
        for delay in [nil, 60_000] as [UInt64?] {
            var message = Message(
                content: MessageContent(app: game, pushType: .alert, payload: Array("{}".utf8)), audience: .all)
            message.sendAt = delay.map { now.advanced(byMilliseconds: $0) }
            _ = try registry.apply(.accept(message, now: now))
        }
        let outboxStatistics = try registry.outboxStatistics()
        #expect([outboxStatistics.messages, outboxStatistics.unfinished, outboxStatistics.scheduled] == [2, 1, 1])
        #expect(try outboxStatistics.freeBytes > 0)
        #expect(try outboxStatistics.freeBytes < registry.statistics().bytes)
    }

    private func app(_ name: String) throws -> AppID { try #require(AppID(name)) }

    private func address(_ number: Int) throws -> DeviceAddress {
        let token = try #require(DeviceToken([UInt8(number)]))
        return DeviceAddress(environment: .production, kind: .device, token: token)
    }
}
