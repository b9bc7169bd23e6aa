import ArgumentParser
import CarillonCommandLine
import CarillonCore
import CarillonRegistry
import Foundation

struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Writes everything to another directory while a server goes on, and checks it.",
        discussion: """
            Examples:
              carillon-dump backup /backup/$(date +%F) --data /var/lib/carillon

            The backup is as of one moment, with messages in flight, outcomes, receipts, idempotency keys and events; free \
            pages are left out. The directory must be missing or empty; data.mdb is in it when all is on the disk and \
            verified, and not before. It holds whole tokens (mode 0600).
            """
    )

    @Argument(help: ArgumentHelp("Where the backup goes.", valueName: "directory"))
    var backup: String

    @Option(help: ArgumentHelp("The data directory, as in data.path of carillond.", valueName: "directory"))
    var data: String

    func run() throws {
        let start = ContinuousClock.now
        let live = try DataDirectory(path: data).open()
        defer { live.close() }
        let bytes = try DataDirectory(path: backup).fill(mustBeEmpty: true) { workshop throws(Failure) in
            try workshop.checkRoom(for: live)
            Terminal.progress("copying")
            try reading(data) { () throws(RegistryError) in try live.copy(to: workshop.path, compacting: true) }
        }
        Terminal.progress("", isLast: false)
        let size = StatsCommand.size(Int(clamping: bytes))
        Terminal.say("backed up and verified  \(size) in \(Timestamp.length(start.milliseconds))")
    }
}

struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Makes a data directory from a backup.",
        discussion: """
            Examples:
              carillon-dump restore /backup/2026-07-01 /var/lib/carillon

            The data directory must be missing or empty, and no server may use it: nothing is ever written over data. \
            Backup and result are verified. The result has a new epoch, so that clients know that their history is gone \
            (Protocol 6.1). A message that was in flight when the backup was made goes on when a server starts: devices \
            that have got it since get it again.
            """
    )

    @Argument(help: ArgumentHelp("The backup.", valueName: "backup"))
    var backup: String

    @Argument(help: ArgumentHelp("The data directory to make.", valueName: "data"))
    var data: String

    func run() throws {
        let start = ContinuousClock.now
        let stored = try DataDirectory(path: backup).open()
        defer { stored.close() }
        let findings = try reading(backup) { () throws(RegistryError) in try stored.verifyFile() }
        if let first = findings.first {
            throw Failure.refused(
                "the backup does not verify, \(findings.count) findings: \(first.sentence(Apps(stored)))")
        }
        let bytes = try DataDirectory(path: data).fill(mustBeEmpty: true) { workshop throws(Failure) in
            try workshop.checkRoom(for: stored)
            Terminal.progress("copying")
            try reading(backup) { () throws(RegistryError) in try stored.copy(to: workshop.path, compacting: true) }
            try reading(data) { () throws(RegistryError) in try RegistryBuilder(path: workshop.path).renewEpoch() }
        }
        Terminal.progress("", isLast: false)
        let size = StatsCommand.size(Int(clamping: bytes))
        Terminal.say("restored and verified  \(size) in \(Timestamp.length(start.milliseconds))")
    }
}

extension DataDirectory {
    /// Makes the database that `body` writes in a workshop, verifies it and puts it here; answers its bytes.
    ///
    /// Nobody else can write here meanwhile. After a failure here is what was here before.
    func fill(
        mustBeEmpty: Bool, _ body: (StagingDirectory) throws(Failure) -> Void
    ) throws(Failure) -> UInt64 {
        let isNew = try make()
        if mustBeEmpty, let name = try names().first {
            throw .unusable(
                isInUse
                    ? "a server uses \(path)"
                    : "\(path) is not empty (\(name)): nothing is written over data; name another directory")
        }
        let hadLock = access(path + "/writer.lock", F_OK) == 0
        let lock: DirectoryLock
        do throws(RegistryError) {
            lock = try DirectoryLock(path: path)
        } catch {
            if isNew { rmdir(path) }
            throw .unusable("\(path) cannot be used: \(error.reason)")
        }
        var isDone = false
        defer {
            if !isDone {
                if !hadLock { unlink(path + "/writer.lock") }
                if isNew { rmdir(path) }
            }
            // Given back last: a lock on a file that is removed afterwards would keep nobody out.
            withExtendedLifetime(lock) {}
        }
        let workshop = try StagingDirectory(in: path)
        defer { workshop.remove() }
        try body(workshop)
        try workshop.verify()
        var status = stat()
        guard stat(workshop.path + "/data.mdb", &status) == 0 else { throw .system("is not there", workshop.path) }
        try workshop.deliver(to: self)
        isDone = true
        return UInt64(status.st_size)
    }
}

extension RegistryError {
    /// What has happened, without the words before it.
    var reason: String {
        switch self {
        case .corrupted(let what), .storageFailed(let what): what
        default: description
        }
    }
}

extension ContinuousClock.Instant {
    /// Milliseconds from this moment to now.
    var milliseconds: UInt64 {
        let (seconds, attoseconds) = duration(to: .now).components
        return UInt64(clamping: seconds) * 1_000 + UInt64(clamping: attoseconds / 1_000_000_000_000_000)
    }
}
