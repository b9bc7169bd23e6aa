import CarillonCore
import CarillonDelivery
import Testing

/// Outcomes of fan-outs are gathered for a moment, because a commit costs what hundreds of them cost.
@Suite struct EngineGatheringTests {
    private var limits: DeliveryEngine.Limits {
        var limits = DeliveryEngine.Limits()
        limits.gathered = 3
        limits.gatherMilliseconds = 20
        return limits
    }

    private func desk(_ lane: Lane = .bulk, unrecorded: Int? = nil) -> EngineDesk {
        var limits = limits
        if let unrecorded { limits.unrecorded = unrecorded }
        var desk = EngineDesk(limits: limits)
        desk.send(EngineDesk.entry(1, lane: lane), to: 1...8)
        return desk
    }

    @Test func aFewWaitForOthersOfTheirPage() {
        var desk = desk()
        let deliveries = desk.pull(8)
        desk.complete(Array(deliveries[..<2]), .delivered)
        #expect(desk.records().isEmpty)
        #expect(desk.engine.load.unrecorded == 2, "a crash would send them once more")
        #expect(desk.engine.deadline == desk.now.uptimeMilliseconds + 20)
        desk.complete([deliveries[2]], .delivered)
        #expect(desk.records() == ["1.0: 0 delivered", "1.0: 1 delivered", "1.0: 2 delivered"])
    }

    @Test func theyDoNotWaitLong() {
        var desk = desk()
        desk.complete([desk.pull(8)[0]], .delivered)
        desk.advance(19)
        #expect(desk.records().isEmpty)
        desk.advance(1)
        #expect(desk.records() == ["1.0: 0 delivered"])
        desk.advance(20)
        #expect(desk.records().isEmpty)
        #expect(desk.engine.deadline == nil || desk.engine.deadline.map { $0 > desk.now.uptimeMilliseconds } == true)
    }

    @Test func theyDoNotWaitIfNobodyIsOnTheWay() {
        var desk = desk()
        desk.complete(desk.pull(2), .delivered)
        #expect(desk.records() == ["1.0: 0 delivered", "1.0: 1 delivered"])
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
