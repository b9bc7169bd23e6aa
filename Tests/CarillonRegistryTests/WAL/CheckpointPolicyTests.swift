import CarillonCore
import Foundation
import Synchronization
import Testing

@testable import CarillonLMDB
@testable import CarillonRegistry

/// The moments at which the open transaction is committed.
struct CheckpointPolicyTests {
    private let none = CheckpointPolicy.Reads()
    private let waiting = CheckpointPolicy.Reads(areWaiting: true)
    private let run = CheckpointPolicy.Reads(wereRun: true)

    /// Makes a policy with limits of the test.
    ///
    /// - Parameter bulkChanges: the least number of changes of a batch that belongs to bulk ingest.
    private func policy(
        bulkChanges: Int = 256, _ change: (inout LMDBRegistry.CheckpointLimits) -> Void = { _ in }
    ) -> CheckpointPolicy {
        var limits = LMDBRegistry.CheckpointLimits()
        change(&limits)
        var bulkIngest = LMDBRegistry.BulkIngestLimits()
        bulkIngest.minimumChanges = bulkChanges
        return CheckpointPolicy(limits: limits, bulkIngest: bulkIngest)
    }

    @Test func withoutAChangeThereIsNothingToCommit() {
        let policy = policy()
        #expect(!policy.isDue(bytes: .max, pages: .max, reads: waiting, at: .max))
        #expect(policy.timeout(reads: waiting, at: 0) == nil)
    }

    @Test func aLimitedNumberOfBytesPagesAndMillisecondsWaits() {
        var policy = policy {
            ($0.logBytes, $0.changedPages) = (8 << 20, 100)
            ($0.delayMilliseconds, $0.idleCommitMilliseconds) = (500, 500)
        }
        policy.changesApplied(1, at: 100)
        policy.changesApplied(1, at: 300)
        #expect(!policy.isDue(bytes: 8 << 20, pages: 100, reads: none, at: 599))
        #expect(policy.isDue(bytes: 8 << 20 + 1, pages: 0, reads: none, at: 100))
        #expect(policy.isDue(bytes: 0, pages: 101, reads: none, at: 100))
        #expect(policy.isDue(bytes: 0, pages: 0, reads: none, at: 600))
        policy.checkpointEnded(at: 600, milliseconds: 10)
        #expect(!policy.isDue(bytes: 8 << 20 + 1, pages: 101, reads: waiting, at: 5_000))
    }

    @Test func whileACommitIsSyncedTheNextOneHasTime() {
        var policy = policy(bulkChanges: 10) {
            ($0.logBytes, $0.changedPages, $0.bulkChangedPages) = (8 << 20, 5, 50)
        }
        policy.changesApplied(10, at: 100)
        #expect(!policy.isDue(bytes: 16 << 20, pages: 75, reads: waiting, sync: .underWay, at: 100))
        #expect(!policy.isDue(bytes: 16 << 20, pages: 7, reads: waiting, sync: .underWay, at: 90_000))
        for sync in [CheckpointPolicy.Sync.underWay, .atOnce] {
            #expect(policy.isDue(bytes: 16 << 20 + 1, pages: 0, reads: none, sync: sync, at: 100))
            #expect(policy.isDue(bytes: 0, pages: 76, reads: none, sync: sync, at: 100))
        }
        // The end of the sync wakes the writer.
        #expect(policy.timeout(reads: waiting, sync: .underWay, at: 90_000) == nil)
        #expect(policy.timeout(reads: waiting, at: 90_000) == 0)
    }

    /// Half as many pages more as make a commit due at that time: in bulk ingest many, else few.
    @Test func outsideOfBulkIngestFewPagesWaitAlsoWhileACommitIsSynced() {
        var policy = policy(bulkChanges: 10) { ($0.changedPages, $0.bulkChangedPages) = (6, 50) }
        policy.changesApplied(9, at: 100)
        for sync in [CheckpointPolicy.Sync.underWay, .atOnce] {
            #expect(!policy.isDue(bytes: 0, pages: 9, reads: none, sync: sync, at: 100))
            #expect(policy.isDue(bytes: 0, pages: 10, reads: none, sync: sync, at: 100))
        }
        #expect(policy.maximumPages(at: 100) == 9)
        policy.changesApplied(10, at: 100)
        #expect(!policy.isDue(bytes: 0, pages: 75, reads: none, sync: .underWay, at: 100))
        #expect(policy.maximumPages(at: 100) == 75)
    }

    /// Many reads and few changes: the next record may come late, and reads must not stay with the writer until then.
    @Test func readsNeedNotWaitForARecord() {
        var policy = policy()
        policy.changesApplied(1, at: 100)
        #expect(!policy.isDue(bytes: 0, pages: 3_000, reads: none, sync: .atOnce, at: 100))
        #expect(policy.isDue(bytes: 0, pages: 1, reads: waiting, sync: .atOnce, at: 100))
        #expect(policy.isDue(bytes: 0, pages: 1, reads: run, sync: .atOnce, at: 100))
        #expect(policy.isDue(bytes: 0, pages: 1, reads: none, sync: .atOnce, at: 5_100))
    }

    @Test func duringBulkIngestMorePagesWait() {
        var policy = policy(bulkChanges: 10) {
            ($0.changedPages, $0.bulkChangedPages, $0.delayMilliseconds) = (5, 50, 500)
        }
        policy.changesApplied(9, at: 100)
        #expect(policy.isDue(bytes: 0, pages: 6, reads: none, at: 100))
        policy.changesApplied(10, at: 200)
        #expect(!policy.isDue(bytes: 0, pages: 50, reads: none, at: 200))
        #expect(policy.isDue(bytes: 0, pages: 51, reads: none, at: 200))
        policy.checkpointEnded(at: 300, milliseconds: 1)
        policy.changesApplied(1, at: 699)
        #expect(!policy.isDue(bytes: 0, pages: 6, reads: none, at: 699))
        #expect(policy.isDue(bytes: 0, pages: 6, reads: none, at: 700))
    }

    @Test func nothingComesForAWhileAndEverythingIsCommitted() {
        var policy = policy { $0.idleCommitMilliseconds = 200 }
        policy.changesApplied(1, at: 100)
        #expect(policy.timeout(reads: none, at: 100) == 200)
        policy.changesApplied(1, at: 250)
        #expect(policy.timeout(reads: none, at: 300) == 150)
        // Whatever else keeps the writer awake.
        #expect(!policy.isDue(bytes: 0, pages: 0, reads: none, at: 449))
        #expect(policy.isDue(bytes: 0, pages: 0, reads: none, at: 450))
        policy.checkpointEnded(at: 300, milliseconds: 1)
        #expect(policy.timeout(reads: none, at: 300) == nil)
    }

    @Test func aReaderGetsACheckpointAtOnceAndTheNextOneAfterThreeTimesItsDuration() {
        var policy = policy()
        policy.changesApplied(1, at: 1_000)
        #expect(policy.isDue(bytes: 0, pages: 0, reads: waiting, at: 1_000))
        policy.checkpointEnded(at: 1_010, milliseconds: 10)
        policy.changesApplied(1, at: 1_011)
        #expect(!policy.isDue(bytes: 0, pages: 0, reads: waiting, at: 1_039))
        #expect(policy.timeout(reads: waiting, at: 1_039) == 1)
        #expect(policy.isDue(bytes: 0, pages: 0, reads: waiting, at: 1_040))
        #expect(policy.timeout(reads: waiting, at: 2_000) == 0)
    }

    @Test func aReaderWaitsNoLongerThanAChangeDoes() {
        var policy = policy { ($0.delayMilliseconds, $0.idleCommitMilliseconds) = (5_000, 9_000) }
        policy.checkpointEnded(at: 1_000, milliseconds: .max)
        policy.changesApplied(1, at: 1_000)
        #expect(policy.timeout(reads: waiting, at: 1_000) == 5_000)
        policy.changesApplied(1, at: .max)
        #expect(policy.timeout(reads: run, at: 1_000) == 5_000)
    }

    /// Else lookups beside a few changes would all be run by the writer.
    @Test func afterShortReadsEverythingIsCommittedSoonButNotInBulkIngest() {
        var policy = policy(bulkChanges: 10)
        policy.changesApplied(1, at: 1_000)
        #expect(policy.isDue(bytes: 0, pages: 0, reads: run, at: 1_000))
        policy.checkpointEnded(at: 1_010, milliseconds: 10)
        policy.changesApplied(1, at: 1_090)
        #expect(!policy.isDue(bytes: 0, pages: 0, reads: run, at: 1_099))
        #expect(policy.timeout(reads: run, at: 1_099) == 1)
        #expect(policy.isDue(bytes: 0, pages: 0, reads: run, at: 1_100))
        policy.changesApplied(10, at: 1_100)
        #expect(!policy.isDue(bytes: 0, pages: 0, reads: run, at: 1_200))
    }

    /// A checkpoint on a replica would serve reads only until the next entry comes.
    @Test func shortReadsCanBeLeftToTheWriterForATimeButNotLongOnes() {
        var policy = policy { $0.shortReadRestMilliseconds = 1_000 }
        policy.checkpointEnded(at: 2_000, milliseconds: 10)
        policy.changesApplied(1, at: 2_990)
        #expect(policy.isDue(bytes: 0, pages: 0, reads: waiting, at: 2_990))
        #expect(!policy.isDue(bytes: 0, pages: 0, reads: run, at: 2_999))
        #expect(policy.isDue(bytes: 0, pages: 0, reads: run, at: 3_000))
    }

    @Test func aMinuteAfterBulkIngestItsCachesAreReleasedOnce() {
        var policy = policy()
        func ended(at times: Uptime...) -> [Bool] { times.map { policy.takeEndOfBulkIngest(at: $0) } }
        policy.changesApplied(255, at: 50_000)
        #expect(ended(at: 200_000) == [false], "these were few")
        policy.changesApplied(256, at: 100_000)
        #expect(ended(at: 159_999, 160_000, 300_000) == [false, true, false])
    }
}
