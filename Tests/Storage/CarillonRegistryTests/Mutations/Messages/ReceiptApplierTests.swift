import CarillonCore
import CarillonRegistryTestKit
import Testing

@testable import CarillonRegistry

/// RECEIPTS: each device of a message counts once for each kind, whatever it reports again.
struct ReceiptApplierTests {
    private let scratch = RegistryDirectory()
    private let first = messageID(1)

    private func count(_ receipts: [Receipt]) -> Change {
        .countReceipts(ReceiptsRequest(app: game, receipts: receipts), now: timestamp(2_000))
    }

    /// Receipts of device 1, which got message 1, and with the indices 2 and 3 one of another device and one of another
    /// message.
    private let receipts = [
        Receipt(message: messageID(1), device: byToken(1), kind: .received),
        Receipt(message: messageID(1), device: .id(deviceID(1)), kind: .received),
        Receipt(message: messageID(1), device: byToken(2), kind: .received),
        Receipt(message: messageID(9), device: byToken(1), kind: .received),
        Receipt(message: messageID(1), device: byToken(1), kind: .opened),
    ]

    private func registryWithReceipts() throws -> (registry: LMDBRegistry, answer: ChangeAnswer) {
        let registry = try scratch.open { $0.settings?.retention.messageMilliseconds = 100 }
        try registry.apply([.register(1), .register(2), .accept(.sample(to: [byToken(1)]), now: timestamp(1_000))])
        return (registry, try registry.apply(count(receipts)))
    }

    @Test func `each device of a message counts once for each kind`() throws {
        let (registry, answer) = try registryWithReceipts()
        #expect(answer == .receiptsCounted(2, unknown: [2, 3]))
        #expect(try registry.apply(count(receipts)) == .receiptsCounted(0, unknown: [2, 3]))
        let status = try registry.status(of: first, app: game)
        #expect(status?.received == 1)
        #expect(status?.opened == 1)
        #expect(try registry.verify() == [])
    }

    @Test func `the devices with receipts are listed`() throws {
        let (registry, _) = try registryWithReceipts()
        let page = try registry.receipts(of: first, app: game, kind: .opened, cursor: 0, limit: 9)
        #expect(page == DeviceIDPage(next: 0, devices: [deviceID(1)]))
    }

    @Test func `receipts go with their message`() throws {
        let (registry, _) = try registryWithReceipts()
        try registry.apply(.recordOutcomes(of: 1, [(0, .delivered)]))
        #expect(try registry.sweep(now: timestamp(9_000)) == .complete)
        #expect(try registry.receipts(of: first, app: game, kind: .opened, cursor: 0, limit: 9) == nil)
        #expect(try registry.verify() == [])
    }

    /// Devices on both sides of the ends of pages, and one that does not exist.
    @Test func `receipts are counted in every page of a list`() throws {
        let registry = try scratch.open()
        try registry.registerDevices(1..<9_001)
        try registry.accept(.sample(to: (1...9_000).map { .id(deviceID($0)) }))
        let receipts = [1, 4_096, 4_097, 9_000, 9_001].map {
            Receipt(message: first, device: .id(deviceID($0)), kind: .opened)
        }
        #expect(try registry.apply(count(receipts)) == .receiptsCounted(4, unknown: [4]))
        #expect(try registry.verify() == [])
    }
}
