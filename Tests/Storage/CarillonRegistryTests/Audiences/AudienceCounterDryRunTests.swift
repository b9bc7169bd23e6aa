import CarillonCore
import CarillonRegistry
import CarillonRegistryTestKit
import Testing

/// Dry runs of SEND: the answer that the message would get, and nothing stored.
struct AudienceCounterDryRunTests {
    private let scratch = RegistryDirectory()

    private let none = messageID(0)

    private func dryRun(to audience: Audience, excluding excluded: DeviceReference? = nil, of app: AppID = game)
        -> Message
    {
        var message = Message.sample(to: audience, excluding: excluded)
        message.content.app = app
        message.isDryRun = true
        message.idempotencyKey = UUIDBytes(high: 1, low: 1)
        return message
    }

    private func openWithTwoDevices() throws -> LMDBRegistry {
        let registry = try scratch.open()
        try registry.apply([.register(1, topics: ["a"]), .register(2)])
        return registry
    }

    @Test func `a dry run counts a live audience`() throws {
        let condition = try Condition("'a' in topics || kind == 'device'")
        let dry = dryRun(to: .condition(condition), excluding: byToken(1))
        #expect(
            try openWithTwoDevices().dryRun(dry) == SendResult(id: none, isDuplicate: false, total: 1, ended: 0))
    }

    @Test func `a dry run counts the unknown devices of a list as ended`() throws {
        let dry = dryRun(to: .devices([byToken(1), byToken(2), byToken(9)]), excluding: byToken(1))
        #expect(
            try openWithTwoDevices().dryRun(dry) == SendResult(id: none, isDuplicate: false, total: 2, ended: 1))
    }

    @Test func `a list is counted in an app without devices`() throws {
        let other = AppID("com.example.other")!
        let dry = dryRun(to: .devices([byToken(1), byToken(2), byToken(9)]), excluding: byToken(1), of: other)
        #expect(try openWithTwoDevices().dryRun(dry).total == 2)
    }

    @Test func `a dry run stores nothing`() throws {
        let registry = try openWithTwoDevices()
        _ = try registry.dryRun(dryRun(to: .all))
        #expect(try registry.outboxQueues() == [])
        #expect(try registry.verify() == [])
    }
}
