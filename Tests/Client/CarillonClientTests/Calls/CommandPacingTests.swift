import Testing

@testable import CarillonClient

struct CommandPacingTests {
    var pacing = CommandPacing()

    @Test mutating func `the loop waits once it has taken few commands four times in a row`() {
        for _ in 0..<3 { pacing.commandsTaken(1, callsUnderWay: 100) }
        #expect(!pacing.isWaiting)

        pacing.commandsTaken(2, callsUnderWay: 100)
        #expect(pacing.isWaiting)
    }

    @Test mutating func `many commands taken at once begin the count anew`() {
        for _ in 0..<3 { pacing.commandsTaken(1, callsUnderWay: 100) }
        pacing.commandsTaken(3, callsUnderWay: 100)
        for _ in 0..<3 { pacing.commandsTaken(1, callsUnderWay: 100) }

        #expect(!pacing.isWaiting)
    }

    @Test mutating func `the loop does not wait with few calls under way`() {
        for _ in 0..<100 { pacing.commandsTaken(1, callsUnderWay: 31) }

        #expect(!pacing.isWaiting)
    }

    @Test mutating func `the loop goes on waiting while waits collect commands`() {
        for _ in 0..<4 { pacing.commandsTaken(1, callsUnderWay: 100) }
        pacing.commandsTaken(12, callsUnderWay: 100)
        #expect(pacing.isWaiting)

        pacing.commandsTaken(2, callsUnderWay: 100)
        #expect(pacing.isWaiting)
    }

    @Test(arguments: [0, 1])
    mutating func `the loop waits no more after a wait that collected nothing`(commands: Int) {
        for _ in 0..<4 { pacing.commandsTaken(1, callsUnderWay: 100) }
        pacing.commandsTaken(commands, callsUnderWay: 100)
        #expect(!pacing.isWaiting)

        pacing.commandsTaken(1, callsUnderWay: 100)
        #expect(!pacing.isWaiting)
    }
}
