import CarillonCore
import CarillonRegistry
import CarillonRegistryTestKit
import Testing

/// Receipts of a message: each device counts once, whatever it reports again.
struct RegistryReceiptTests {
    private let scratch = RegistryDirectory()
    private let first = MessageID(rawValue: 1)

    @Test func eachDeviceOfAMessageCountsOnce() throws {
        let registry = try scratch.open { $0.settings?.retention.messageMilliseconds = 100 }
        _ = try registry.apply([
            .register(1), .register(2), .accept(.sample(to: [byToken(1)]), now: timestamp(1_000)),
        ])
        let receipts = [
            Receipt(message: first, device: byToken(1), kind: .received),
            Receipt(message: first, device: .id(deviceID(1)), kind: .received),
            Receipt(message: first, device: byToken(2), kind: .received),
            Receipt(message: MessageID(rawValue: 9), device: byToken(1), kind: .received),
            Receipt(message: first, device: byToken(1), kind: .opened),
        ]
        let count = Change.countReceipts(ReceiptsRequest(app: game, receipts: receipts), now: timestamp(2_000))
        #expect(try registry.apply(count) == .counted(2, unknown: [2, 3]))
        #expect(try registry.apply(count) == .counted(0, unknown: [2, 3]))
        #expect(try registry.status(of: first, app: game)?.received == 1)
        #expect(try registry.status(of: first, app: game)?.opened == 1)
        let page = try registry.receipts(of: first, app: game, kind: .opened, cursor: 0, limit: 9)
        #expect(page == DevicePage(next: 0, devices: [deviceID(1)]))
        _ = try registry.apply(.recordOutcomes(of: 1, [(0, .delivered)]))
        #expect(try !registry.sweep(now: timestamp(9_000)))
        #expect(try registry.receipts(of: first, app: game, kind: .opened, cursor: 0, limit: 9) == nil)
        #expect(try registry.verify() == [])
    }
}
