import Testing

@testable import CarillonClient

/// The decision whether the event loop waits a moment before it takes the orders of tasks.
struct OrderPacingTests {
    var pacing = OrderPacing()

    @Test mutating func itWaitsOnceFourTakingsInARowWereSmall() {
        for _ in 0..<3 { pacing.ordersTaken(1, callsUnderWay: 100) }
        #expect(!pacing.isWaiting)

        pacing.ordersTaken(2, callsUnderWay: 100)
        #expect(pacing.isWaiting)
    }

    @Test mutating func aLargeTakingBetweenThemBeginsAnew() {
        for _ in 0..<3 { pacing.ordersTaken(1, callsUnderWay: 100) }
        pacing.ordersTaken(3, callsUnderWay: 100)
        for _ in 0..<3 { pacing.ordersTaken(1, callsUnderWay: 100) }

        #expect(!pacing.isWaiting)
    }

    @Test mutating func withFewCallsUnderWayNoneWaits() {
        for _ in 0..<100 { pacing.ordersTaken(1, callsUnderWay: 31) }

        #expect(!pacing.isWaiting)
    }

    @Test mutating func itGoesOnWaitingAsLongAsThatCollectsOrders() {
        for _ in 0..<4 { pacing.ordersTaken(1, callsUnderWay: 100) }
        pacing.ordersTaken(12, callsUnderWay: 100)
        #expect(pacing.isWaiting)

        pacing.ordersTaken(2, callsUnderWay: 100)
        #expect(pacing.isWaiting)
    }

    @Test(arguments: [0, 1])
    mutating func aWaitThatCollectsNothingIsTheLast(orders: Int) {
        for _ in 0..<4 { pacing.ordersTaken(1, callsUnderWay: 100) }
        pacing.ordersTaken(orders, callsUnderWay: 100)
        #expect(!pacing.isWaiting)

        pacing.ordersTaken(1, callsUnderWay: 100)
        #expect(!pacing.isWaiting)
    }
}
