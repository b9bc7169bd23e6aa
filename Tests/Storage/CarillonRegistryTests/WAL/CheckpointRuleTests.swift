import CarillonCore
import Testing

@testable import CarillonRegistry

/// The moments at which the open transaction is committed.
struct CheckpointRuleTests {
    private func rule(_ change: (inout LMDBRegistry.CheckpointLimits) -> Void = { _ in }) -> CheckpointRule {
        var limits = LMDBRegistry.CheckpointLimits()
        change(&limits)
        return CheckpointRule(limits: limits)
    }

    @Test func `without a change there is nothing to commit`() {
        let rule = rule()
        #expect(!rule.isDue(logBytes: .max, pages: .max, readsWait: true, at: .max))
        #expect(rule.timeoutMilliseconds(readsWait: true, at: 0) == nil)
    }

    @Test func `a commit is due by bytes, pages or milliseconds`() {
        var rule = rule {
            ($0.logBytes, $0.changedDatabasePages) = (8 << 20, 100)
            ($0.delayMilliseconds, $0.idleCommitMilliseconds) = (500, 500)
        }
        rule.changesApplied(at: 100)
        rule.changesApplied(at: 300)
        #expect(!rule.isDue(logBytes: 8 << 20, pages: 100, at: 599))
        #expect(rule.isDue(logBytes: 8 << 20 + 1, at: 100))
        #expect(rule.isDue(pages: 101, at: 100))
        #expect(rule.isDue(at: 600))
        rule.checkpointEnded(at: 600, milliseconds: 10)
        #expect(!rule.isDue(logBytes: 8 << 20 + 1, pages: 101, readsWait: true, at: 5_000))
    }

    @Test func `while a commit is synced the next one has time`() {
        var rule = rule { ($0.logBytes, $0.changedDatabasePages) = (8 << 20, 50) }
        rule.changesApplied(at: 100)
        #expect(rule.maximumChangedDatabasePages == 75)
        #expect(!rule.isDue(logBytes: 16 << 20, pages: 75, readsWait: true, syncMode: .underWay, at: 100))
        #expect(!rule.isDue(logBytes: 16 << 20, pages: 75, readsWait: true, syncMode: .underWay, at: 90_000))
        for syncMode in [CheckpointRule.SyncMode.underWay, .atOnce] {
            #expect(rule.isDue(logBytes: 16 << 20 + 1, syncMode: syncMode, at: 100))
            #expect(rule.isDue(pages: 76, syncMode: syncMode, at: 100))
        }
        // The end of the sync wakes the writer.
        #expect(rule.timeoutMilliseconds(readsWait: true, syncMode: .underWay, at: 90_000) == nil)
        #expect(rule.timeoutMilliseconds(readsWait: true, at: 90_000) == 0)
    }

    /// Many reads and few changes: the next record may come late, and reads must not wait for it.
    @Test func `long reads need not wait for a record`() {
        var rule = rule()
        rule.changesApplied(at: 100)
        #expect(!rule.isDue(pages: 3_000, syncMode: .atOnce, at: 100))
        #expect(rule.isDue(pages: 1, readsWait: true, syncMode: .atOnce, at: 100))
        #expect(rule.isDue(pages: 1, syncMode: .atOnce, at: 5_100))
    }

    @Test func `everything is committed after a while without changes`() {
        var rule = rule { $0.idleCommitMilliseconds = 200 }
        rule.changesApplied(at: 100)
        #expect(rule.timeoutMilliseconds(readsWait: false, at: 100) == 200)
        rule.changesApplied(at: 250)
        #expect(rule.timeoutMilliseconds(readsWait: false, at: 300) == 150)
        // If something else wakes the writer before that, no commit is due yet.
        #expect(!rule.isDue(at: 449))
        #expect(rule.isDue(at: 450))
        rule.checkpointEnded(at: 300, milliseconds: 1)
        #expect(rule.timeoutMilliseconds(readsWait: false, at: 300) == nil)
    }

    @Test func `a reader gets a checkpoint at once and the next one later`() {
        var rule = rule()
        rule.changesApplied(at: 1_000)
        #expect(rule.isDue(readsWait: true, at: 1_000))
        rule.checkpointEnded(at: 1_010, milliseconds: 10)
        rule.changesApplied(at: 1_011)
        #expect(!rule.isDue(readsWait: true, at: 1_039))
        #expect(rule.timeoutMilliseconds(readsWait: true, at: 1_039) == 1)
        #expect(rule.isDue(readsWait: true, at: 1_040))
        #expect(rule.timeoutMilliseconds(readsWait: true, at: 2_000) == 0)
    }

    @Test func `a reader waits no longer than a change does`() {
        var rule = rule { ($0.delayMilliseconds, $0.idleCommitMilliseconds) = (5_000, 9_000) }
        rule.checkpointEnded(at: 1_000, milliseconds: .max)
        rule.changesApplied(at: 1_000)
        #expect(rule.timeoutMilliseconds(readsWait: true, at: 1_000) == 5_000)
        rule.changesApplied(at: .max)
        #expect(rule.timeoutMilliseconds(readsWait: false, at: 1_000) == 5_000)
    }
}

extension CheckpointRule {
    /// Returns whether a commit is due, with as little of everything as the caller leaves out.
    fileprivate func isDue(
        logBytes: Int = 0, pages: Int = 0, readsWait: Bool = false, syncMode: SyncMode = .later, at now: Uptime
    ) -> Bool {
        isDue(logBytes: logBytes, changedDatabasePages: pages, readsWait: readsWait, syncMode: syncMode, at: now)
    }
}
