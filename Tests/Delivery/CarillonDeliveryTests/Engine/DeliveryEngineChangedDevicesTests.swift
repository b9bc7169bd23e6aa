import CarillonCore
import CarillonDelivery
import Testing

/// Devices that change while a message is being sent.
///
/// `1>7` is message 1 on its way to device 7; `page 1.0` is the first page of message 1.
struct DeliveryEngineChangedDevicesTests {
    /// Hands over a page that was asked for again.
    private func readAgain(_ harness: inout EngineHarness, _ recipients: [EngineHarness.Recipient]) throws {
        let read = try #require(harness.engine.takeActions().pageReads.first)
        harness.engine.pageRead(EngineHarness.page(recipients, of: 1), for: read, at: harness.now)
    }

    private func change(_ harness: inout EngineHarness, _ device: UInt64) {
        harness.engine.deviceChanged(DeviceID(rawValue: device), of: EngineHarness.app)
    }

    @Test func `an unregistered device is not pulled`() throws {
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...3)
        change(&harness, 2)
        #expect(harness.pull(9).transcript == ["1>1", "1>3"])
        try readAgain(&harness, [.init(device: 1), .init(device: 2, finalOutcome: .unregistered), .init(device: 3)])
        #expect(harness.records() == ["page 1.0, recipient 1: unregistered"])
        #expect(harness.pull(9).isEmpty)
    }

    @Test func `a push goes to the new token of a device`() throws {
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...1)
        change(&harness, 1)
        #expect(harness.pull(9).isEmpty)
        try readAgain(&harness, [.init(device: 1, token: 77)])
        #expect(harness.pull(9).tokens == [77])
    }

    @Test func `a page is read again if a device changes during the read`() throws {
        var harness = EngineHarness()
        harness.engine.messageAccepted(.message(1), at: harness.now)
        let read = harness.engine.takeActions().pageReads[0]
        change(&harness, 1)
        harness.engine.pageRead(EngineHarness.page(1...1, of: 1), for: read, at: harness.now)
        #expect(harness.pull(9).isEmpty)
        try readAgain(&harness, [.init(device: 1, finalOutcome: .unregistered)])
        #expect(harness.records() == ["page 1.0, recipient 0: unregistered"])
    }

    @Test func `a page is read a third time if a device changes during the second read`() throws {
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...1)
        change(&harness, 1)
        #expect(harness.pull(9).isEmpty)
        let read = harness.engine.takeActions().pageReads[0]
        change(&harness, 1)
        harness.engine.pageRead(EngineHarness.page([.init(device: 1, token: 77)], of: 1), for: read, at: harness.now)
        #expect(harness.pull(9).isEmpty)
        try readAgain(&harness, [.init(device: 1, token: 78)])
        #expect(harness.pull(9).tokens == [78])
    }

    @Test func `a ready recipient follows the page that was read again`() throws {
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...3)
        change(&harness, 1)
        change(&harness, 3)
        // Recipient 1 has changed, so the page is read again. Recipient 3 was not looked at yet.
        #expect(harness.pull(1).transcript == ["1>2"])
        try readAgain(&harness, [.init(device: 1), .init(device: 2), .init(device: 3, finalOutcome: .unregistered)])
        #expect(harness.pull(9).transcript == ["1>1"])
        #expect(harness.records() == ["page 1.0, recipient 2: unregistered"])
    }

    @Test(arguments: [Verdict.notProcessed, .unknown])
    func `a returned recipient is judged by the reloaded page`(_ verdict: Verdict) throws {
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...2)
        let gone = harness.pull(1)
        #expect(gone.transcript == ["1>1"])
        change(&harness, 1)
        change(&harness, 2)
        #expect(harness.pull(1).isEmpty)
        try readAgain(&harness, [.init(device: 1, finalOutcome: .unregistered), .init(device: 2)])

        harness.complete(gone, verdict)
        harness.advance(1_000)
        #expect(harness.pull(9).transcript == ["1>2"])
        let delays = verdict == .unknown ? ["page 1.0, recipient 0: waits after attempt 1"] : []
        #expect(harness.records() == ["page 1.0, recipient 0: unregistered"] + delays)
    }

    @Test func `a change of another app's device is no change`() {
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...1)
        harness.engine.deviceChanged(DeviceID(rawValue: 1), of: EngineHarness.otherApp)
        #expect(harness.pull(9).transcript == ["1>1"])
    }

    @Test func `too many device changes count as a change of every device`() throws {
        var limits = DeliveryEngine.Limits()
        limits.changedDevices = 2
        var harness = EngineHarness(limits: limits)
        harness.send(.message(1), to: 1...1)
        for device: UInt64 in 100...102 { change(&harness, device) }
        #expect(harness.pull(9).isEmpty)
        try readAgain(&harness, [.init(device: 1)])
        #expect(harness.pull(9).transcript == ["1>1"])
    }

    @Test func `a page that ends during its second read is forgotten`() throws {
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...2)
        let first = harness.pull(1)
        change(&harness, 2)
        #expect(harness.pull(1).isEmpty)
        let read = harness.engine.takeActions().pageReads[0]
        harness.complete(first, .delivered)
        harness.engine.pageRead(nil, for: read, at: harness.now)
        #expect(harness.pull(9).isEmpty)
        #expect(harness.records() == ["page 1.0, recipient 0: delivered"])
    }

    @Test func `a ready recipient whose environment has changed goes to the new one`() {
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...2)
        change(&harness, 1)
        #expect(harness.pull(1).transcript == ["1>2"])
        harness.pageRead([.init(device: 1, environment: .sandbox), .init(device: 2)], of: 1)
        #expect(harness.pull(9).isEmpty)
        #expect(harness.pull(9, for: .sandbox).transcript == ["1>1"])
    }

    @Test func `a ready recipient follows a page reloaded for another recipient`() {
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...2)
        change(&harness, 1)
        // The page is read again because of device 1. Device 2 comes back meanwhile, and is ready.
        harness.complete(harness.pull(1), .notProcessed)
        harness.pageRead([.init(device: 1), .init(device: 2, environment: .sandbox)], of: 1)
        #expect(harness.pull(9).transcript == ["1>1"])
        #expect(harness.pull(9, for: .sandbox).transcript == ["1>2"])
    }

    @Test func `every page is read again after all devices have changed`() {
        var harness = EngineHarness()
        harness.send(.message(1), to: 1...2)
        harness.engine.allDevicesChanged()
        #expect(harness.pull(9).isEmpty)
        harness.pageRead([.init(device: 1), .init(device: 2, finalOutcome: .muted)], of: 1)
        #expect(harness.pull(9).transcript == ["1>1"])
        #expect(harness.records() == ["page 1.0, recipient 1: muted"])
    }
}
