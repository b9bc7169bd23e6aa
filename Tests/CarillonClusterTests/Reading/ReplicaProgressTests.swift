import CarillonCore
import Testing

@testable import CarillonCluster

/// The contents of the replica: the position that it has reached, and how fresh a read from it is.
struct ReplicaProgressTests {
    private var progress = ReplicaProgress(ClusterNode.Replica(), maximumStalenessMilliseconds: 1_000)

    /// Makes an application of the entry that says what the state begins with.
    private func application() throws -> ClusterNode.Application {
        let id = LogEntry.ID(member: Member(node: try #require(NodeName("a")), incarnation: 1), sequence: 2)
        let content = LogEntry.Content.began(try #require(InitialState(kind: .empty, parameters: [])))
        let entry = try #require(LogEntry(id: id, format: 1, content: content))
        return ClusterNode.Application(first: 1, entries: [entry], batches: [:])
    }

    private let hash = RunningHash(position: 1, value: UUIDBytes(high: 0, low: 1))

    @Test mutating func theInitialStateIsKnownFromTheBeginningOfItsApplication() throws {
        #expect(!progress.hasInitialState)
        progress.begin(try application())
        #expect(progress.hasInitialState)
        #expect(progress.replica.initialState == nil)
        let entries = progress.end([hash])
        #expect(try entries == application().entries)
        #expect(progress.replica.initialState == .empty)
        #expect(progress.replica.hash == hash)
        #expect(progress.appliedBytes > 0)
        #expect(progress.applying == nil)
    }

    @Test mutating func onlyTheHashOfTheEntryEndsItsApplication() throws {
        var ended = [progress.end([hash])]
        progress.begin(try application())
        ended.append(progress.end([]))
        #expect(ended == [nil, nil])
        #expect(progress.applying != nil)
        #expect(progress.position == 0)
    }

    @Test mutating func aReplicaIsAsNewAsTheQuestionForTheHeadThatItHasReached() throws {
        let isLongEnough = progress.headReported(1, progress.query(at: 500))
        #expect(isLongEnough)
        #expect(progress.freshness.staleness(at: 510) == nil)
        progress.begin(try application())
        _ = progress.end([hash])
        #expect(progress.freshness.staleness(at: 510) == 10)
    }

    @Test mutating func aLogThatEndsBeforeTheReplicaIsRefused() throws {
        progress.begin(try application())
        let query = progress.query(at: 500)
        _ = progress.end([hash])
        // The answer may be older than what was applied since the question.
        let isLongEnough = progress.headReported(0, query)
        #expect(isLongEnough)
        let isStillLongEnough = progress.headReported(0, progress.query(at: 501))
        #expect(!isStillLongEnough)
    }

    @Test mutating func aSnapshotIsOfTheSameLog() {
        progress.logJoined(UUIDBytes(high: 3, low: 4))
        var loaded = ClusterNode.Replica()
        loaded.hash = RunningHash(position: 9, value: .zero)
        let isLongEnough = progress.headReported(9, progress.query(at: 500))
        #expect(isLongEnough)
        progress.replace(with: loaded)
        #expect(progress.replica.log == UUIDBytes(high: 3, low: 4))
        #expect(progress.position == 9)
        #expect(progress.freshness.isNew(asOf: 500))
    }
}
