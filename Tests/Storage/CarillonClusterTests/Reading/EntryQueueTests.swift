import CarillonCore
import Testing

@testable import CarillonCluster

/// The entries that were read and wait to be applied: their order and their bounds, in entries and in bytes.
struct EntryQueueTests {
    private var queue = EntryQueue(after: 7, maximumEntries: 2, maximumBytes: 200)

    private mutating func append(_ content: LogEntry.Content, format: UInt16 = 1) {
        let isThere = queue.append(SampleCluster.entry(of: SampleCluster.a, content, format: format))
        #expect(isThere)
    }

    @Test mutating func `the queue has room until either bound is reached`() {
        #expect(queue.hasRoom)
        append(.left)
        #expect(queue.hasRoom)
        append(.left)
        #expect(!queue.hasRoom)
    }

    @Test mutating func `a large entry may exceed the bytes`() {
        append(.changes(Array(repeating: 0, count: 136)))
        #expect(!queue.hasRoom)
        #expect(queue.bytes == 200)
    }

    @Test mutating func `an entry of an unknown format stays in the queue`() {
        for format in [1, 2, 1] as [UInt16] {
            append(.left, format: format)
        }
        let taken = queue.takeApplicable(newestKnown: 1)
        #expect(taken.map(\.format) == [1])
        let takenBehindIt = queue.takeApplicable(newestKnown: 1)
        #expect(takenBehindIt == [])
        #expect(queue.entries.map(\.format) == [2, 1])
        #expect(queue.fetched == 10)
    }

    @Test mutating func `the queue continues behind a snapshot`() throws {
        append(.initialState(try #require(InitialState(kind: .empty, parameters: []))))
        #expect(queue.hasInitialState)
        queue.removeAll()
        #expect(!queue.hasInitialState)
        #expect(queue.bytes == 0)
        queue.restart(after: 100)
        append(.left)
        #expect(queue.fetched == 101)
    }

    @Test mutating func `no entry follows the last position`() {
        queue.restart(after: .last)
        let isThere = queue.append(SampleCluster.entry(of: SampleCluster.a, .left))
        #expect(!isThere)
        #expect(queue.entries == [])
    }
}
