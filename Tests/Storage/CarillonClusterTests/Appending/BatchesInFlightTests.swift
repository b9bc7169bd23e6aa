import CarillonCore
import Testing

@testable import CarillonCluster

/// The batches whose callers wait: whose end is told, once, and how many there may be.
struct BatchesInFlightTests {
    private var batches = BatchesInFlight()

    private func entry(_ sequence: UInt64) throws -> LogEntry.ID {
        LogEntry.ID(member: Member(node: try #require(NodeName("a")), incarnation: 1), sequence: sequence)
    }

    @Test mutating func `a batch is found by the entry of its last attempt`() throws {
        let batch = batches.begin()
        batches.appendBegan(batch, as: try entry(2))
        batches.appendBegan(batch, as: try entry(3))
        #expect(try batches.batch(of: entry(2)) == nil)
        #expect(try batches.batch(of: entry(3)) == batch)
    }

    @Test mutating func `the end of a batch is reported once`() throws {
        let batch = batches.begin()
        batches.appendBegan(batch, as: try entry(2))
        let isTold = batches.end(batch)
        #expect(isTold)
        let isToldAgain = batches.end(batch)
        #expect(!isToldAgain)
        #expect(try batches.batch(of: entry(2)) == nil)
        #expect(batches.isEmpty)
    }

    @Test mutating func `batches in flight are bounded`() {
        let ids = (0..<BatchesInFlight.maximumCount).map { _ in batches.begin() }
        #expect(batches.isFull)
        let isTold = batches.end(ids[0])
        #expect(isTold)
        #expect(!batches.isFull)
        let next = batches.begin()
        #expect(next.number > UInt64(ids.count))
    }

    @Test mutating func `the batches that a snapshot contains are found`() {
        let ids = (0..<3).map { _ in batches.begin() }
        batches.batchAppended(ids[0], at: 4)
        batches.batchAppended(ids[1], at: 6)
        #expect(batches.batches(appendedThrough: 3) == [])
        #expect(batches.batches(appendedThrough: 4) == [ids[0]])
        #expect(batches.batches(appendedThrough: 9) == [ids[0], ids[1]])
    }
}
