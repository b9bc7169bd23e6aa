import CarillonCore
import CarillonDelivery
import Testing

/// Silent pushes: a device has one on its way at a time.
///
/// `1>7` is message 1 on its way to device 7; `page 1.0` is the first page of message 1.
struct DeliveryEngineSilentPushTests {
    private func change(_ harness: inout EngineHarness, _ device: UInt64) {
        harness.engine.deviceChanged(DeviceID(rawValue: device), of: EngineHarness.app)
    }

    @Test func `a device has one silent push on its way at a time`() {
        var harness = EngineHarness()
        harness.send(.message(1, .background), to: 1...1)
        harness.send(.message(2, .background), to: 1...1)
        let first = harness.pull(9)
        #expect(first.transcript == ["1>1"])
        harness.advance(1_000)
        #expect(harness.pull(9).isEmpty)
        harness.complete(first, .unknown)
        harness.advance(1_000)
        harness.pageRead([.init(device: 1)], of: 2)
        #expect(harness.pull(1).count == 1)
        #expect(harness.pull(1).isEmpty)
    }

    @Test func `a page that was read before a silent push was on disk is read again`() {
        var harness = EngineHarness()
        harness.send(.message(1, .background), to: 1...1)
        harness.send(.message(2, .background), to: 1...1)
        let first = harness.pull(1)
        harness.complete(first, .delivered)
        let second = harness.takeActions()
        #expect(second.records.transcript == ["page 1.0, recipient 0: delivered"])
        #expect(harness.pull(1).isEmpty)
        // The page is read again, because only the registry knows how much room the silent-push budget has now.
        harness.pageRead([.init(device: 1, finalOutcome: .overBudget)], of: 2)
        #expect(harness.takeActions().records.transcript == ["page 2.0, recipient 0: over-budget"])
    }

    @Test func `a silent push ends also for a device that is not in the page any more`() throws {
        var harness = EngineHarness()
        harness.engine.messageAccepted(.message(1, .background, isLive: true), at: harness.now)
        harness.pageRead([.init(device: 1), .init(device: 2)], of: 1)
        let first = harness.pull(1)
        change(&harness, 2)
        #expect(harness.pull(1).isEmpty)
        // Device 1 has left the audience meanwhile. No record had fixed the page, so it is not in the new read.
        harness.pageRead([.init(device: 2)], of: 1, from: 1)
        harness.complete(first, .delivered)
        _ = harness.takeActions()
        harness.send(.message(2, .background), to: 1...1)
        #expect(harness.pull(9).transcript.contains("2>1"))
    }
}
