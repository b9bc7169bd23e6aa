import Testing

@testable import CarillonSession

/// The positions of the cluster's log that a client asks for and is told.
struct SharedLogPositionsTests {
    private var positions = SharedLogPositions()

    @Test mutating func `only a greater position is reported`() {
        let reported = [5, 5, 4, 6].map { positions.report($0) }
        #expect(reported == [true, false, false, true])
    }

    @Test mutating func `only a position that was not reported is awaited`() {
        _ = positions.report(5)
        let awaited = [4, 7, 7, 6].map { positions.require($0) }
        #expect(awaited == [false, true, false, false])
        #expect(positions.required == 7)
    }
}
