import CarillonCore
import CarillonRegistryTestKit
import Foundation
import Testing

@testable import CarillonLMDB
@testable import CarillonRegistry

/// The commits of a database, and what the write-ahead log says of them. During bulk ingest no commit is made by time.
extension RegistryDirectory {
    /// Returns the newest commit of the database, as one up to which all are durable.
    func newestCommit() throws -> WALInspection.DurableCommits {
        let file = try Data(contentsOf: file("data.mdb"))
        let commits = try [0, 4_096].map { try DataFileCheck.meta([UInt8](file[$0..<$0 + 4_096])).transaction }
        return .upTo(max(commits[0], commits[1]))
    }

    /// Returns the statement of the last record of the log about the commits.
    func durableCommits() throws -> WALInspection.DurableCommits {
        try WALInspection.durableCommits(in: WALDirectory(path: path))
    }

    /// Waits until the last record of the log says that the newest commit is on the disk, so that the next one may have
    /// a deferred sync: applies changes without an effect.
    func waitForSync(of registry: LMDBRegistry) throws {
        let newest = try newestCommit()
        for _ in 1...10_000 {
            try registry.apply(.updateDevice(250))
            if try durableCommits() == newest { return }
        }
        Issue.record("no record says that the newest commit is on the disk")
    }

    /// Copies the files, without the pages of the commits since `before`, but with their meta page.
    func crashed(losingPagesSince before: Data) throws -> RegistryDirectory {
        let crashed = try crashed()
        var lost = try Data(contentsOf: crashed.file("data.mdb"))
        for start in stride(from: 8_192, to: lost.count, by: 4_096) {
            let page = start..<start + 4_096
            guard start >= before.count || lost[page] != before[page] else { continue }
            lost.replaceSubrange(page, with: Data(count: 4_096))
        }
        try lost.write(to: crashed.file("data.mdb"))
        return crashed
    }

    /// Opens the registry so that every batch is one of bulk ingest, and the log has only the changes of the test:
    /// settings would be one change more.
    func openWithBulkIngest(_ change: (inout LMDBRegistry.Options) -> Void = { _ in }) throws -> LMDBRegistry {
        try open {
            $0.ingestInBulk()
            $0.settings = nil
            change(&$0)
        }
    }

    /// Returns the files of a server that is killed with a number of changes in its log, one a record.
    func crashed(records: UInt8) throws -> RegistryDirectory {
        let registry = try openWithBulkIngest()
        try registry.checkpoint()
        for token in 1...records { try registry.apply(.register(token)) }
        return try crashed()
    }

    /// Returns the reason why the registry cannot be opened.
    func refusal() -> String {
        let error = #expect(throws: RegistryError.self) { try openWithBulkIngest() }
        return error.map { "\($0)" } ?? ""
    }
}

extension FileManager {
    func bytes(of path: String) throws -> Int {
        try attributesOfItem(atPath: path)[.size] as? Int ?? 0
    }
}

extension LMDBRegistry.Options {
    /// Makes every batch one of bulk ingest, and commits nothing by time.
    mutating func ingestInBulk() {
        bulkIngest.minimumChanges = 1
        bulkIngest.minimumSurplus = 1
        bulkIngest.recentAddresses = 10
        checkpoints.idleCommitMilliseconds = 3_600_000
        checkpoints.delayMilliseconds = 3_600_000
    }
}
