import CarillonRegistryTestKit

@testable import CarillonRegistry

extension LMDBRegistry.Options {
    /// Makes every batch one of bulk ingest, and commits nothing by time.
    mutating func ingestInBulk() {
        (bulkIngest.minimumChanges, bulkIngest.minimumSurplus) = (1, 1)
        bulkIngest.recentAddresses = 10
        (checkpoints.idleCommitMilliseconds, checkpoints.delayMilliseconds) = (3_600_000, 3_600_000)
    }
}

extension RegistryDirectory {
    /// Opens the registry so that every batch is one of bulk ingest, and the log has only the changes of the test:
    /// settings would be one change more.
    func openWithBulkIngest(_ change: (inout LMDBRegistry.Options) -> Void = { _ in }) throws -> LMDBRegistry {
        try open {
            $0.ingestInBulk()
            $0.settings = nil
            change(&$0)
        }
    }
}
