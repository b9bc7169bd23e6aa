import CarillonCore
import CarillonTestKit
import Foundation
import Testing

@testable import CarillonRegistry

/// The commits whose sync may wait: only those that a log on the disk would bring back.
struct DeferredSyncRuleTests {
    @Test func `only the commit after the durable one in the last record may be deferred`() {
        var rule = DeferredSyncRule()
        #expect(!rule.mayDeferSync(of: 1), "no record says anything")
        rule.durableCommit = 10
        #expect(!rule.mayDeferSync(of: 11))
        rule.recordBegan()
        #expect(!rule.mayDeferSync(of: 11), "a power cut may leave no record")
        rule.recordAppended()
        #expect([11, 12].map { rule.mayDeferSync(of: $0) } == [true, false])
        // Commit 11 has reached the disk, and no record says so.
        rule.durableCommit = 11
        #expect(!rule.mayDeferSync(of: 12))
        rule.recordBegan()
        #expect(!rule.mayDeferSync(of: 12), "the last record is the old one or the new one")
        rule.recordAppended()
        #expect(rule.mayDeferSync(of: 12))
        rule.forbidDeferredSync()
        #expect(!rule.mayDeferSync(of: 12))
    }

    @Test func `the sync may be deferred while a record with the same number is appended`() {
        var rule = DeferredSyncRule()
        rule.durableCommit = 10
        rule.recordBegan()
        rule.recordAppended()
        rule.recordBegan()
        #expect(rule.mayDeferSync(of: 11))
    }
}
