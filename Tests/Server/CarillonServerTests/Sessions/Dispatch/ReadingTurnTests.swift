import Testing

@testable import CarillonServer

/// Reading stops once at a time, and the work of a turn is bounded by a slice.
struct ReadingTurnTests {
    private var turn = ReadingTurn()

    @Test mutating func `stopped reading is not stopped again`() {
        let stopped = [turn.stop(), turn.stop()]
        #expect(stopped == [true, false])
        turn.resume()
        #expect(!turn.isStopped)
        let again = turn.stop()
        #expect(again)
    }

    @Test mutating func `a new turn resumes reading`() {
        _ = turn.stop()
        turn.begin()
        #expect(!turn.isStopped)
        #expect(turn.isUnderWay)
        turn.end()
        #expect(!turn.isStopped)
        #expect(!turn.isUnderWay)
    }

    @Test mutating func `a turn ends after its slice`() {
        turn.beginTimeSlice(atNanoseconds: 1_000)
        let end = 1_000 + LoopTurns.timeSliceNanoseconds
        #expect([end - 1, end].map(turn.isTimeSliceOver) == [false, true])
    }
}
