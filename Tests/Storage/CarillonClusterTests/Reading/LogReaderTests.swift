import CarillonCore
import Testing

@testable import CarillonCluster

/// The choice of the call that brings the next entries.
struct LogReaderTests {
    private var reader = LogReader()
    private var queue = EntryQueue(after: 5, maximumEntries: 1, maximumBytes: 1_000)
    private let query = HeadQuery(askedAt: 10, replicaPosition: 5)

    @Test mutating func `a node that has everything waits for entries`() {
        #expect(reader.dueCall(for: queue, at: 10) == .awaitEntries)
        reader.begin(.awaitEntries, asking: query)
        #expect(reader.dueCall(for: queue, at: 11) == nil)
        #expect(reader.nextTime(for: queue) == nil)
        let ended = reader.end(.awaitEntries)
        #expect(ended == query)
        #expect(reader.dueCall(for: queue, at: 12) == .awaitEntries)
    }

    @Test mutating func `a node that lacks entries reads them also while it waits for entries`() {
        reader.begin(.awaitEntries, asking: query)
        reader.headReported(6)
        reader.headReported(5)
        #expect(reader.head == 6)
        #expect(reader.dueCall(for: queue, at: 10) == .read)
        reader.begin(.read, asking: query)
        #expect(reader.dueCall(for: queue, at: 11) == nil)
    }

    @Test mutating func `no entry is read while the queue is full`() {
        reader.headReported(7)
        let isThere = queue.append(SampleCluster.entry(of: SampleCluster.a, sequence: 2, .left))
        #expect(isThere)
        #expect(reader.nextTime(for: queue) == nil)
        _ = queue.takeApplicable(newestKnown: 1)
        #expect(reader.dueCall(for: queue, at: 10) == .read)
    }

    @Test mutating func `a call that has failed is repeated after a pause`() {
        reader.begin(.awaitEntries, asking: query)
        _ = reader.end(.awaitEntries)
        reader.delay(.awaitEntries, until: 110)
        #expect(reader.nextTime(for: queue) == 110)
        #expect(reader.dueCall(for: queue, at: 109) == nil)
        #expect(reader.dueCall(for: queue, at: 110) == .awaitEntries)
        // A call of the other kind does not wait for the end of the pause.
        reader.headReported(6)
        #expect(reader.dueCall(for: queue, at: 11) == .read)
    }
}
