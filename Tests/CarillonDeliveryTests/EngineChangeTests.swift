import CarillonCore
import CarillonDelivery
import Testing

/// Devices, credentials and tokens that change while a message is under way.
@Suite struct EngineChangeTests {
    /// Hands over a page that was asked for again.
    private func readAgain(_ desk: inout EngineDesk, _ rows: [EngineDesk.Row]) throws {
        let read = try #require(desk.engine.takeEffects().reads.first)
        desk.engine.pageRead(EngineDesk.page(rows, of: 1), read, at: desk.now)
    }

    private func change(_ desk: inout EngineDesk, _ device: UInt64) {
        desk.engine.deviceChanged(DeviceID(rawValue: device), of: EngineDesk.app)
    }

    @Test func anUnregisteredDeviceIsNotPulled() throws {
        var desk = EngineDesk()
        desk.send(EngineDesk.entry(1), to: 1...3)
        change(&desk, 2)
        #expect(desk.pull(9).words == ["1>1", "1>3"])
        try readAgain(&desk, [.init(device: 1), .init(device: 2, ending: .unregistered), .init(device: 3)])
        #expect(desk.records() == ["1.0: 1 unregistered"])
        #expect(desk.pull(9).isEmpty)
    }

    @Test func aReplacedTokenIsTheOneUsed() throws {
        var desk = EngineDesk()
        desk.send(EngineDesk.entry(1), to: 1...1)
        change(&desk, 1)
        #expect(desk.pull(9).isEmpty)
        try readAgain(&desk, [.init(device: 1, token: 77)])
        #expect(desk.pull(9).tokens == [77])
    }

    @Test func aChangeWhileThePageIsReadMakesItBeReadAgain() throws {
        var desk = EngineDesk()
        desk.engine.messageAccepted(EngineDesk.entry(1), at: desk.now)
        let read = desk.engine.takeEffects().reads[0]
        change(&desk, 1)
        desk.engine.pageRead(EngineDesk.page(1...1, of: 1), read, at: desk.now)
        #expect(desk.pull(9).isEmpty)
        try readAgain(&desk, [.init(device: 1, ending: .unregistered)])
        #expect(desk.records() == ["1.0: 0 unregistered"])
    }

    @Test func aChangeWhileThePageIsReadAgainMakesItBeReadOnceMore() throws {
        var desk = EngineDesk()
        desk.send(EngineDesk.entry(1), to: 1...1)
        change(&desk, 1)
        #expect(desk.pull(9).isEmpty)
        let read = desk.engine.takeEffects().reads[0]
        change(&desk, 1)
        desk.engine.pageRead(EngineDesk.page([.init(device: 1, token: 77)], of: 1), read, at: desk.now)
        #expect(desk.pull(9).isEmpty)
        try readAgain(&desk, [.init(device: 1, token: 78)])
        #expect(desk.pull(9).tokens == [78])
    }

    @Test func whoStillWaitsInLineIsJudgedByThePageThatWasReadAgain() throws {
        var desk = EngineDesk()
        desk.send(EngineDesk.entry(1), to: 1...3)
        change(&desk, 1)
        change(&desk, 3)
        // The first makes the page be read again; the third is not looked at yet.
        #expect(desk.pull(1).words == ["1>2"])
        try readAgain(&desk, [.init(device: 1), .init(device: 2), .init(device: 3, ending: .unregistered)])
        #expect(desk.pull(9).words == ["1>1"])
        #expect(desk.records() == ["1.0: 2 unregistered"])
    }

    @Test(arguments: [Verdict.notProcessed, .unknown])
    func whoComesBackFromAConnectionIsJudgedByThePageThatWasReadAgain(_ verdict: Verdict) throws {
        var desk = EngineDesk()
        desk.send(EngineDesk.entry(1), to: 1...2)
        let gone = desk.pull(1)
        #expect(gone.words == ["1>1"])
        change(&desk, 1)
        change(&desk, 2)
        #expect(desk.pull(1).isEmpty)
        try readAgain(&desk, [.init(device: 1, ending: .unregistered), .init(device: 2)])

        desk.complete(gone, verdict)
        desk.advance(1_000)
        #expect(desk.pull(9).words == ["1>2"])
        let delays = verdict == .unknown ? ["1.0: 0 waits after 1"] : []
        #expect(desk.records() == ["1.0: 0 unregistered"] + delays)
    }

    @Test func aChangeOfAnotherAppsDeviceIsNoChange() {
        var desk = EngineDesk()
        desk.send(EngineDesk.entry(1), to: 1...1)
        desk.engine.deviceChanged(DeviceID(rawValue: 1), of: EngineDesk.otherApp)
        #expect(desk.pull(9).words == ["1>1"])
    }

    @Test func moreChangesThanAreRememberedCountForEveryDevice() throws {
        var limits = DeliveryEngine.Limits()
        limits.changes = 2
        var desk = EngineDesk(limits: limits)
        desk.send(EngineDesk.entry(1), to: 1...1)
        for device: UInt64 in 100...102 { change(&desk, device) }
        #expect(desk.pull(9).isEmpty)
        try readAgain(&desk, [.init(device: 1)])
        #expect(desk.pull(9).words == ["1>1"])
    }

    @Test func aPageThatWasEndedWhileItIsReadAgainIsForgotten() throws {
        var desk = EngineDesk()
        desk.send(EngineDesk.entry(1), to: 1...2)
        let first = desk.pull(1)
        change(&desk, 2)
        #expect(desk.pull(1).isEmpty)
        let read = desk.engine.takeEffects().reads[0]
        desk.complete(first, .delivered)
        desk.engine.pageRead(nil, read, at: desk.now)
        #expect(desk.pull(9).isEmpty)
        #expect(desk.records() == ["1.0: 0 delivered"])
    }

    @Test func whatIsInLineFollowsTheCredential() {
        var desk = EngineDesk()
        let renewed = PoolKey(environment: .production, credential: "renewed")
        desk.send(EngineDesk.entry(1), to: [.init(device: 1), .init(device: 2, environment: .sandbox)])
        desk.engine.routesChanged(Routes([EngineDesk.app: [.production: renewed]]), at: desk.now)
        let effects = desk.engine.takeEffects()
        #expect(effects.wake.contains(renewed))
        #expect(effects.records.flatMap(EngineDesk.words) == ["1.0: 1 no-credential"])
        #expect(desk.pull(9).isEmpty)
        #expect(desk.pull(9, for: renewed).words == ["1>1"])
    }

    @Test func whatComesBackWhenTheCredentialIsGoneEnds() {
        var desk = EngineDesk()
        desk.send(EngineDesk.entry(1), to: 1...2)
        let first = desk.pull(1)
        let second = desk.pull(1)
        desk.complete(second, .unknown)
        desk.engine.routesChanged(Routes([:]), at: desk.now)
        desk.complete(first, .notProcessed)
        #expect(desk.records() == ["1.0: 0 no-credential", "1.0: 1 waits after 1"])
        desk.advance(1_000)
        #expect(desk.records() == ["1.0: 1 no-credential"])
    }
}
