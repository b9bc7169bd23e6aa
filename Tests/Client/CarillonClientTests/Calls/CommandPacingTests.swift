import Testing

@testable import CarillonClient

struct CommandPacingTests {
    var pacing = CommandPacing()

    @Test mutating func theLoopWaitsOnceItHasTakenFewCommandsFourTimesInARow() {
        for _ in 0..<3 { pacing.commandsTaken(1, callsUnderWay: 100) }
        #expect(!pacing.isWaiting)

        pacing.commandsTaken(2, callsUnderWay: 100)
        #expect(pacing.isWaiting)
    }

    @Test mutating func manyCommandsTakenAtOnceBeginTheCountAnew() {
        for _ in 0..<3 { pacing.commandsTaken(1, callsUnderWay: 100) }
        pacing.commandsTaken(3, callsUnderWay: 100)
        for _ in 0..<3 { pacing.commandsTaken(1, callsUnderWay: 100) }

        #expect(!pacing.isWaiting)
    }

    @Test mutating func theLoopDoesNotWaitWithFewCallsUnderWay() {
        for _ in 0..<100 { pacing.commandsTaken(1, callsUnderWay: 31) }

        #expect(!pacing.isWaiting)
    }

    @Test mutating func theLoopGoesOnWaitingWhileWaitsCollectCommands() {
        for _ in 0..<4 { pacing.commandsTaken(1, callsUnderWay: 100) }
        pacing.commandsTaken(12, callsUnderWay: 100)
        #expect(pacing.isWaiting)

        pacing.commandsTaken(2, callsUnderWay: 100)
        #expect(pacing.isWaiting)
    }

    @Test(arguments: [0, 1])
    mutating func theLoopWaitsNoMoreAfterAWaitThatCollectedNothing(commands: Int) {
        for _ in 0..<4 { pacing.commandsTaken(1, callsUnderWay: 100) }
        pacing.commandsTaken(commands, callsUnderWay: 100)
        #expect(!pacing.isWaiting)

        pacing.commandsTaken(1, callsUnderWay: 100)
        #expect(!pacing.isWaiting)
    }
}
