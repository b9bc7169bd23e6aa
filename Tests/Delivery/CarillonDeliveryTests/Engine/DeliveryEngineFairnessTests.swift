import CarillonCore
import Testing

@testable import CarillonDelivery

/// No message waits because another app, another lane or another message has much to send.
///
/// `1>7` is message 1 on its way to device 7.
struct DeliveryEngineFairnessTests {
    private static let chat = PoolKey(destination: .apnsProduction, credential: "chat")
    private static let routes = Routes([
        EngineHarness.app: [.apnsProduction: PoolKey.production, .apnsSandbox: PoolKey.sandbox],
        EngineHarness.otherApp: [.apnsProduction: chat],
    ])

    /// Reads the one page of each message, which has a single device.
    private func readAll(_ harness: inout EngineHarness) {
        harness.readPages { message, number in EngineHarness.page(1...1, of: message, number, isLast: true) }
    }

    @Test(arguments: Lane.allCases) func `an unreachable pool does not delay other apps`(_ lane: Lane) {
        var limits = DeliveryEngine.Limits()
        limits.messages = 200
        var harness = EngineHarness(routes: Self.routes, limits: limits)
        for id: UInt64 in 1...5_000 {
            harness.accept(id...id, lane: lane)
            readAll(&harness)
        }
        #expect(harness.engine.load.messages == 100, "half of the memory")
        harness.accept(5_001...5_001, app: EngineHarness.otherApp, lane: lane)
        readAll(&harness)
        #expect(harness.pull(9, for: Self.chat).transcript == ["5001>1"])
    }

    @Test func `an interactive message does not wait for the outcomes of a fan-out`() {
        var limits = DeliveryEngine.Limits()
        limits.unrecordedDeliveries = 16
        var harness = EngineHarness(limits: limits)
        harness.send(.message(1, lane: .bulk), to: 1...100)
        #expect(harness.pull(9, bulkLimit: 4).count == 4)
        #expect(harness.pull(99).count == 10, "an eighth of the outcomes is kept")
        #expect(harness.pull(99).isEmpty)
        harness.send(.message(2), to: 1...1)
        #expect(harness.pull(9, bulkLimit: 0).transcript == ["2>1"])
    }

    @Test func `a pull leaves an eighth of the outcomes to the interactive lane`() {
        var limits = DeliveryEngine.Limits()
        limits.unrecordedDeliveries = 16
        var harness = EngineHarness(limits: limits)
        harness.send(.message(1, lane: .bulk), to: 1...100)
        harness.send(.message(2), to: 1...4)
        #expect(harness.pull(99).count == 14)
    }

    @Test func `a cancelled fan-out does not delay an interactive message`() {
        var limits = DeliveryEngine.Limits()
        limits.unrecordedDeliveries = 16
        var harness = EngineHarness(limits: limits)
        harness.send(.message(1, lane: .bulk), to: 1...100)
        harness.engine.cancel(MessageID(rawValue: 1), at: harness.now)
        #expect(harness.records().count == 100)
        harness.send(.message(2), to: 1...1)
        #expect(harness.pull(9).transcript == ["2>1"])
    }

    /// Has at most `limit` pages read, and returns the ids of their messages; every message has three.
    private func readPages(_ limit: Int, of harness: inout EngineHarness) -> [UInt64] {
        var messages: [UInt64] = []
        while messages.count < limit, case let reads = harness.takeActions().pageReads, !reads.isEmpty {
            for read in reads {
                messages.append(read.message.rawValue)
                let page = EngineHarness.page(1...1, of: read.message.rawValue, read.page, isLast: read.page == 2)
                harness.engine.pageRead(page, for: read, at: harness.now)
            }
            harness.complete(harness.pull(99), .delivered)
            harness.advance(100)
        }
        return messages
    }

    @Test(arguments: [false, true]) func `a new message is read before all others have had a turn`(_ areCancelled: Bool)
    {
        var harness = EngineHarness()
        harness.accept(1...100, lane: .bulk)
        if areCancelled {
            for id: UInt64 in 1...100 { harness.engine.cancel(MessageID(rawValue: id), at: harness.now) }
        } else {
            #expect(Set(readPages(200, of: &harness)).count == 100, "each has begun")
        }
        harness.accept(101...101, lane: .bulk)
        #expect(readPages(20, of: &harness).contains(101))
    }

    @Test func `a fan-out gets every second read while new messages arrive`() {
        var limits = DeliveryEngine.Limits()
        limits.concurrentReads = 1
        var harness = EngineHarness(limits: limits)
        harness.accept(1...1)
        var order: [UInt64] = []
        for id: UInt64 in 2...9 {
            harness.accept(id...id)
            for read in harness.takeActions().pageReads {
                order.append(read.message.rawValue)
                let page = EngineHarness.page(
                    1...1, of: read.message.rawValue, read.page, isLast: read.message.rawValue != 1)
                harness.engine.pageRead(page, for: read, at: harness.now)
            }
            harness.complete(harness.pull(9), .delivered)
        }
        #expect(order == [1, 1, 2, 1, 3, 1, 4, 1])
    }

    @Test func `a fan-out that rereads pages leaves a read to an interactive message`() {
        var limits = DeliveryEngine.Limits()
        limits.concurrentReads = 4
        limits.pagesPerMessage = 8
        var harness = EngineHarness(limits: limits)
        harness.accept(1...1, lane: .bulk)
        for _ in 1...6 { harness.pageRead([.init(device: 1)], of: 1, isLast: false) }
        harness.engine.allDevicesChanged()
        #expect(harness.pull(99).isEmpty)
        harness.accept(2...2)
        #expect(harness.engine.takeActions().pageReads.count { $0.message.rawValue == 2 } == 1)
    }
}
