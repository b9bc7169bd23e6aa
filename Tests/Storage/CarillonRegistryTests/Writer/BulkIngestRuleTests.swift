import CarillonCore
import Testing

@testable import CarillonRegistry

/// The moments at which bulk ingest begins and ends.
struct BulkIngestRuleTests {
    private var rule = BulkIngestRule(limits: LMDBRegistry.BulkIngestLimits())

    /// Returns for each of these times whether the caches can be released.
    private mutating func cacheReleases(at times: Uptime...) -> [Bool] { times.map { rule.takeCacheRelease(at: $0) } }

    /// Counts batches of these sizes; returns for each whether it belongs to bulk ingest.
    private mutating func batches(_ sizes: Int..., at now: Uptime = 0) -> [Bool] {
        sizes.map {
            rule.batchBegan(changes: $0, at: now)
            return rule.isUnderWay
        }
    }

    @Test mutating func `three large batches are bulk ingest`() {
        #expect(batches(256, 8_000, 256, 300) == [false, false, true, true])
    }

    @Test mutating func `small batches between large ones delay bulk ingest`() {
        #expect(batches(256, 255, 256, 256, 1, 256, 256) == [false, false, false, false, false, false, true])
    }

    @Test mutating func `as many small batches as large ones end bulk ingest`() {
        #expect(batches(256, 256, 256, 1, 1, 1, 256) == [false, false, true, true, true, false, false])
    }

    @Test mutating func `eight small batches end a long bulk ingest`() {
        for _ in 1...1_000 { _ = batches(8_000) }
        #expect(batches(1, 1, 1, 1, 1, 1, 1) == Array(repeating: true, count: 7))
        #expect(batches(1) == [false])
    }

    /// After a pause of the writer two batches have the changes that came during it.
    @Test mutating func `two large batches in a row are no bulk ingest`() {
        #expect(batches(400, 300, 60, 50, 400, 300, 60) == Array(repeating: false, count: 7))
    }

    @Test mutating func `the caches are released once a minute after bulk ingest`() {
        #expect(batches(256, 256, at: 50_000) == [false, false])
        #expect(cacheReleases(at: 200_000) == [false], "it had not begun")
        #expect(batches(256, at: 100_000) == [true])
        #expect(cacheReleases(at: 159_999, 160_000, 300_000) == [false, true, false])
    }
}
