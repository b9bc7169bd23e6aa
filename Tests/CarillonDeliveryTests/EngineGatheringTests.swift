import CarillonCore
import CarillonDelivery
import Testing

/// Outcomes of fan-outs are gathered for a moment, because a commit costs what hundreds of them cost.
@Suite struct EngineGatheringTests {
    private func desk(_ lane: Lane = .bulk, unrecorded: Int = 16_384) -> EngineDesk {
        var limits = DeliveryEngine.Limits()
        limits.gathering = 20
        limits.unrecorded = unrecorded
        var desk = EngineDesk(limits: limits)
        desk.send(EngineDesk.entry(1, lane: lane), to: 1...8)
        return desk
    }

    @Test func theyWaitForOthersButNotLong() {
        var desk = desk()
        let deliveries = desk.pull(8)
        desk.complete([deliveries[0]], .delivered)
        #expect(desk.records().isEmpty)
        #expect(desk.engine.load.unrecorded == 1, "a crash would send it once more")
        #expect(desk.engine.deadline == desk.now.uptimeMilliseconds + 20)
        desk.advance(19)
        desk.complete([deliveries[1]], .delivered)
        #expect(desk.records().isEmpty)
        desk.advance(1)
        #expect(desk.records() == ["1.0: 0 delivered", "1.0: 1 delivered"])
        #expect(desk.engine.deadline == nil)
    }

    @Test func theyDoNotWaitIfNothingMoreIsToBeExpected() {
        var desk = desk()
        let deliveries = desk.pull(8)
        desk.complete(Array(deliveries[..<7]), .delivered)
        #expect(desk.records().isEmpty)
        desk.complete([deliveries[7]], .delivered)
        #expect(desk.records().count == 8)
    }

    @Test func outcomesOfTheInteractiveLaneDoNotWait() {
        var desk = desk(.interactive)
        desk.complete([desk.pull(8)[0]], .delivered)
        #expect(desk.records() == ["1.0: 0 delivered"])
    }

    @Test func theyDoNotWaitWhenTheBoundHoldsUpOthers() {
        var desk = desk(unrecorded: 9)
        let deliveries = desk.pull(8)
        desk.complete([deliveries[0]], .delivered)
        #expect(desk.records() == ["1.0: 0 delivered"])
    }

    @Test func theyDoNotWaitWhenMuchIsGathered() {
        var desk = desk(unrecorded: 16)
        let deliveries = desk.pull(8)
        desk.complete(Array(deliveries[..<3]), .delivered)
        #expect(desk.records().isEmpty)
        desk.complete([deliveries[3]], .delivered)
        #expect(desk.records().count == 4, "a quarter of the bound")
        desk.complete([deliveries[4]], .delivered)
        #expect(desk.records().isEmpty, "what is on its way to the disk is not gathered any more")
    }

    @Test func theyDoNotWaitWhenTheServerStops() {
        var desk = desk()
        let deliveries = desk.pull(8)
        desk.complete([deliveries[0]], .delivered)
        #expect(desk.records().isEmpty)
        desk.engine.stop()
        #expect(desk.records() == ["1.0: 0 delivered"])
        desk.complete([deliveries[1]], .delivered)
        #expect(desk.records() == ["1.0: 1 delivered"])
    }

    @Test func aRetryThatIsNotedWaitsNoLongerThanThat() {
        var desk = desk()
        desk.complete([desk.pull(8)[0]], .unknown)
        #expect(desk.engine.load.unrecorded == 1)
        desk.advance(20)
        #expect(desk.records() == ["1.0: 0 waits after 1"])
    }
}
