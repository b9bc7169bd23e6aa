@testable import CarillonRegistry

extension LMDBRegistry.Options {
    /// Makes every batch one of bulk ingest, and commits nothing by time.
    mutating func ingestInBulk() {
        (bulkIngest.minimumChanges, bulkIngest.minimumSurplus) = (1, 1)
        bulkIngest.recentAddresses = 10
        (checkpoints.idleCommitMilliseconds, checkpoints.delayMilliseconds) = (3_600_000, 3_600_000)
    }
}
