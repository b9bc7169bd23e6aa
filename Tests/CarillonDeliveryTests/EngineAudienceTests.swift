import CarillonCore
import CarillonDelivery
import Testing

/// Audiences that are taken page by page, and pages that leave the memory until somebody in them is due.
@Suite struct EngineAudienceTests {
    private static func addressed(_ offsets: UInt16...) -> AddressedChunk {
        AddressedChunk(ChunkBits(ascending: offsets) ?? ChunkBits())
    }

    // MARK: Live

    @Test func aLiveAudienceIsFinishedWhenAllIsOnDisk() {
        var desk = EngineDesk()
        desk.engine.messageAccepted(EngineDesk.entry(1, isLive: true), at: desk.now)
        let read = desk.engine.takeEffects().reads[0]
        let page = EngineDesk.page([.init(device: 4)], of: 1, 3, addressed: Self.addressed(0))
        desk.engine.pageRead(page, read, at: desk.now)
        let next = desk.engine.takeEffects().reads
        #expect(next.map(\.page) == [4])
        desk.engine.pageRead(nil, next[0], at: desk.now)
        desk.complete(desk.pull(1), .delivered)
        let effects = desk.engine.takeEffects()
        #expect(effects.records.map(\.addressed) == [Self.addressed(0)])
        #expect(effects.records.map(\.floor) == [3])
        #expect(effects.finished.isEmpty)
        desk.engine.recorded(effects.records[0], at: desk.now)
        #expect(desk.engine.takeEffects().finished == [MessageID(rawValue: 1)])
    }

    @Test func aLiveAudienceOfNobodyIsFinishedAtOnce() {
        var desk = EngineDesk()
        desk.engine.messageAccepted(EngineDesk.entry(1, isLive: true, floor: 7), at: desk.now)
        #expect(desk.engine.takeEffects().reads.map(\.page) == [7])
        desk = EngineDesk()
        desk.engine.messageAccepted(EngineDesk.entry(1, isLive: true), at: desk.now)
        desk.hand(nil, of: 1)
        #expect(desk.engine.takeEffects().finished == [MessageID(rawValue: 1)])
    }

    @Test func theFloorRisesWithThePagesThatHaveEnded() {
        var desk = EngineDesk()
        desk.engine.messageAccepted(EngineDesk.entry(1), at: desk.now)
        desk.hand([.init(device: 1)], of: 1, isLast: false)
        desk.hand([.init(device: 2)], of: 1, isLast: false)
        let deliveries = desk.pull(2)
        desk.complete([deliveries[1]], .delivered)
        let effects = desk.write()
        #expect(effects.records.map(\.floor) == [0])
        desk.engine.pageRead(EngineDesk.page(3...3, of: 1, 2, isLast: true), effects.reads[0], at: desk.now)
        desk.complete([deliveries[0]], .delivered)
        #expect(desk.write().records.map(\.floor) == [0])
        desk.complete(desk.pull(1), .delivered)
        #expect(desk.write().records.map(\.floor) == [2])
    }

    @Test func theFloorStaysWhereSomebodyWasLetGoOf() {
        var desk = EngineDesk()
        desk.engine.poolStopped(EngineDesk.sandbox, at: desk.now)
        desk.engine.messageAccepted(EngineDesk.entry(1, isLive: true), at: desk.now)
        desk.hand([.init(device: 1, environment: .sandbox)], of: 1, isLast: false)
        desk.hand([.init(device: 2)], of: 1)
        desk.complete(desk.pull(1), .delivered)
        let effects = desk.write()
        #expect(effects.records.map(\.floor) == [0])
        #expect(desk.engine.takeEffects().finished.isEmpty)
        #expect(desk.engine.load.messages == 0)
    }

    @Test func aPageAddressesWhomItAddressedWhenItWasFirstRead() {
        var desk = EngineDesk()
        desk.engine.messageAccepted(EngineDesk.entry(1, isLive: true), at: desk.now)
        let read = desk.engine.takeEffects().reads[0]
        let rows = [EngineDesk.Row(device: 1), .init(device: 2), .init(device: 3)]
        desk.engine.pageRead(
            EngineDesk.page(rows, of: 1, addressed: Self.addressed(0, 1, 2), isLast: true), read, at: desk.now)
        let deliveries = desk.pull(1)
        // Nothing is on disk yet, so reading again brings those who are in the audience by then.
        desk.engine.deviceChanged(DeviceID(rawValue: 2), of: EngineDesk.app)
        #expect(desk.pull(1).words == ["1>3"])
        let again = desk.engine.takeEffects().reads[0]
        desk.engine.pageRead(
            EngineDesk.page([rows[2]], of: 1, from: 2, addressed: Self.addressed(2)), again, at: desk.now)
        desk.complete(deliveries, .notProcessed)
        let records = desk.engine.takeEffects().records
        #expect(records.flatMap(EngineDesk.words).sorted() == ["1.0: 0 left", "1.0: 1 left"])
        #expect(records.allSatisfy { $0.addressed == Self.addressed(0, 1, 2) })
    }

    // MARK: Asleep

    @Test func aPageInWhichAllWaitLeavesTheMemoryAndIsReadWhenSomebodyIsDue() throws {
        var desk = EngineDesk()
        desk.send(EngineDesk.entry(1), to: 1...2)
        desk.complete(desk.pull(1), .unknown)
        desk.complete(desk.pull(1), .tryLater(.tokenThrottled, afterMilliseconds: nil))
        #expect(desk.engine.load.recipients == 2)
        let delays = desk.write().records.flatMap(\.delays)
        #expect(delays.map(\.attempts) == [1, 1])
        #expect(desk.engine.load.recipients == 0)
        #expect(desk.engine.load.asleep == 1)

        let due = try #require(desk.engine.deadline)
        desk.advance(due - desk.now.uptimeMilliseconds)
        #expect(desk.now.wall == delays[0].dueAt)
        let rows = delays.enumerated().map { index, delay in
            EngineDesk.Row(device: UInt64(index) + 1, attempts: delay.attempts, dueAt: delay.dueAt)
        }
        desk.hand(rows, of: 1)
        #expect(desk.pull(9).words == ["1>1"])
    }

    @Test func afterARestartAttemptsAndDueTimesAreKept() {
        var policy = RetryPolicy()
        policy.unknown.attempts = 3
        policy.serverBusy.attempts = 3
        policy.tokenThrottled.attempts = 3
        var desk = EngineDesk(policy: policy)
        let due = desk.now.wall.advanced(byMilliseconds: 5_000)
        desk.send(EngineDesk.entry(1), to: [.init(device: 1, attempts: 2), .init(device: 2, attempts: 1, dueAt: due)])
        let first = desk.pull(9)
        #expect(first.words == ["1>1"])
        desk.complete(first, .unknown)
        #expect(desk.write().records.flatMap(EngineDesk.words) == ["1.0: 0 gave-up"])
        desk.advance(4_999)
        #expect(desk.engine.takeEffects().reads.isEmpty)
        desk.advance(1)
        desk.hand([.init(device: 2, attempts: 1, dueAt: due)], of: 1)
        #expect(desk.pull(9).words == ["1>2"])
    }

    @Test func aWallClockThatWasSetBackHoldsNoDelayForEver() {
        var desk = EngineDesk()
        let tenDays = desk.now.wall.advanced(byMilliseconds: 10 * 24 * 3_600_000)
        desk.send(EngineDesk.entry(1), to: [.init(device: 1, attempts: 1, dueAt: tenDays)])
        #expect(desk.pull(9).words == ["1>1"])
    }

    @Test func whileTooManyPagesAreAsleepOnlyThoseAreReadOfWhichSomebodyIsDue() {
        var limits = DeliveryEngine.Limits()
        limits.asleep = 1
        var desk = EngineDesk(limits: limits)
        desk.engine.messageAccepted(EngineDesk.entry(1), at: desk.now)
        desk.hand([.init(device: 1)], of: 1, isLast: false)
        desk.engine.messageAccepted(EngineDesk.entry(2), at: desk.now)
        desk.complete(desk.pull(1), .unknown)
        let effects = desk.write()
        for read in effects.reads { desk.engine.pageRead(nil, read, at: desk.now) }
        #expect(desk.engine.load.asleep == 1)
        desk.engine.messageAccepted(EngineDesk.entry(3), at: desk.now)
        #expect(desk.engine.takeEffects().reads.isEmpty)
        // Another message stands before it in line, which may not be read.
        desk.advance(1_000)
        #expect(desk.engine.takeEffects().reads.map(\.message.rawValue) == [1, 3])
    }
}
