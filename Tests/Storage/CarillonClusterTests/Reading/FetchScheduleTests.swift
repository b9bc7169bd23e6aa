import CarillonCore
import Testing

@testable import CarillonCluster

/// Chooses the call that brings the next entries.
struct FetchScheduleTests {
    private var schedule = FetchSchedule()
    private var queue = EntryQueue(after: 5, maximumEntries: 1, maximumBytes: 1_000)
    private let query = HeadQuery(askedAt: 10, replicaPosition: 5)

    @Test mutating func `a node that has everything waits for entries`() {
        #expect(schedule.dueCall(for: queue, at: 10) == .awaitEntries)
        schedule.begin(.awaitEntries, asking: query)
        #expect(schedule.dueCall(for: queue, at: 11) == nil)
        #expect(schedule.nextTime(for: queue) == nil)
        let ended = schedule.end(.awaitEntries)
        #expect(ended == query)
        #expect(schedule.dueCall(for: queue, at: 12) == .awaitEntries)
    }

    @Test mutating func `a node that lacks entries reads them also while it waits for entries`() {
        schedule.begin(.awaitEntries, asking: query)
        schedule.headReported(6)
        schedule.headReported(5)
        #expect(schedule.head == 6)
        #expect(schedule.dueCall(for: queue, at: 10) == .read)
        schedule.begin(.read, asking: query)
        #expect(schedule.dueCall(for: queue, at: 11) == nil)
    }

    @Test mutating func `no entry is read while the queue is full`() {
        schedule.headReported(7)
        let isThere = queue.append(SampleCluster.entry(of: SampleCluster.a, sequence: 2, .left))
        #expect(isThere)
        #expect(schedule.nextTime(for: queue) == nil)
        _ = queue.takeApplicable(newestKnown: 1)
        #expect(schedule.dueCall(for: queue, at: 10) == .read)
    }

    @Test mutating func `a call that has failed is repeated after a pause`() {
        schedule.begin(.awaitEntries, asking: query)
        _ = schedule.end(.awaitEntries)
        schedule.delay(.awaitEntries, until: 110)
        #expect(schedule.nextTime(for: queue) == 110)
        #expect(schedule.dueCall(for: queue, at: 109) == nil)
        #expect(schedule.dueCall(for: queue, at: 110) == .awaitEntries)
        // A call of the other kind does not wait for the end of the pause.
        schedule.headReported(6)
        #expect(schedule.dueCall(for: queue, at: 11) == .read)
    }
}
