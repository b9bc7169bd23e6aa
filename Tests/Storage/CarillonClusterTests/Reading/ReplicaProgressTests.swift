import CarillonCore
import Testing

@testable import CarillonCluster

/// The progress of a replica: what it contains, and how fresh a read from it is.
struct ReplicaProgressTests {
    private var progress = ReplicaProgress(ReplicaState(), maximumStalenessMilliseconds: 1_000)

    private static let initialState = InitialState(kind: .empty, parameters: [])!
    /// The first entry of the log, which says what its state begins with.
    private static let entry = SampleCluster.entry(of: SampleCluster.a, .initialState(initialState))
    /// The hash after ``entry``.
    private static let hash = RunningHash(position: 1, value: UUIDBytes(high: 0, low: 1))

    private mutating func beginEntry() {
        progress.begin(ClusterNode.EntriesToApply(first: 1, entries: [Self.entry]))
    }

    /// Ends the application of the entry, and returns the entries that are applied.
    private mutating func endEntry() -> [LogEntry]? { progress.end([Self.hash]) }

    /// Returns true if the log is long enough for the replica. The head is asked for at one time, and told at once.
    private mutating func isLongEnough(head: LogPosition, askedAt: Uptime) -> Bool {
        progress.headReported(head, answering: progress.query(at: askedAt))
    }

    @Test mutating func `the state has an entry once it is applied`() {
        beginEntry()
        #expect(progress.position == 0)
        let applied = endEntry()
        #expect(applied == [Self.entry])
        #expect(progress.position == 1)
        #expect(progress.state.applied == Self.hash)
        #expect(progress.state.initialState == .empty)
        #expect(progress.appliedBytes == UInt64(Self.entry.byteCount))
    }

    @Test mutating func `the initial state is known from the beginning of its application`() {
        #expect(!progress.hasInitialState)
        beginEntry()
        #expect(progress.hasInitialState)
        #expect(progress.state.initialState == nil)
    }

    @Test mutating func `an application ends with a hash for each of its entries`() {
        let endWithoutBeginning = endEntry()
        beginEntry()
        let endWithoutHash = progress.end([])
        #expect(endWithoutBeginning == nil)
        #expect(endWithoutHash == nil)
        #expect(progress.applying != nil)
    }

    @Test mutating func `a replica is as new as the question for the head that it has reached`() {
        let isKnown = isLongEnough(head: 1, askedAt: 500)
        #expect(isKnown)
        #expect(progress.freshness.stalenessMilliseconds(at: 510) == nil, "the head is not applied yet")
        beginEntry()
        _ = endEntry()
        #expect(progress.freshness.stalenessMilliseconds(at: 510) == 10)
    }

    @Test mutating func `a log that ends before the replica is refused`() {
        beginEntry()
        _ = endEntry()
        let isOldHeadAccepted = isLongEnough(head: 0, askedAt: 501)
        #expect(!isOldHeadAccepted)
    }

    @Test mutating func `an answer may be older than what was applied since its question`() {
        beginEntry()
        let query = progress.query(at: 500)
        _ = endEntry()
        let isOldHeadAccepted = progress.headReported(0, answering: query)
        #expect(isOldHeadAccepted)
    }

    @Test mutating func `a loaded snapshot is of the same log`() {
        progress.logJoined(SampleCluster.log)
        var loaded = ReplicaState()
        loaded.applied = RunningHash(position: 9)
        _ = isLongEnough(head: 9, askedAt: 500)
        progress.snapshotLoaded(loaded)
        #expect(progress.state.log == SampleCluster.log)
        #expect(progress.position == 9)
        #expect(progress.freshness.isNew(asOf: 500))
    }
}
