import CarillonCore
import CarillonLMDB
import Glibc

/// Watches the database and the file system, and decides which changes there is room for. So the registry refuses some
/// changes before its storage is full.
///
/// Outcomes, sweeps, and changes that remove rows or end messages are always admitted, because they are small or make
/// room.
struct SpaceMonitor {
    /// The kinds of change that there is room for.
    struct Admission: Equatable {
        var admitsMessages = true
        var admitsRegistrations = true

        /// Returns true if all changes of a mutation are admitted.
        func admits(_ mutation: Mutation) -> Bool {
            guard !(admitsMessages && admitsRegistrations) else { return true }
            return switch mutation {
            case .change(let change): admits(change)
            case .changes(let changes): changes.allSatisfy(admits)
            case .sweep: true
            }
        }

        private func admits(_ change: Change) -> Bool {
            let growth = change.traits.growth
            return (admitsMessages || !growth.contains(.message))
                && (admitsRegistrations || !growth.contains(.registration))
        }
    }

    /// The share of the limit, in percent, above which messages are refused.
    static let messagePercent = 85
    /// The share of the limit, in percent, above which registrations are refused too.
    static let registrationPercent = 92
    /// The milliseconds between two checks of the file system.
    static let diskIntervalMilliseconds: UInt64 = 1_000

    private let limitBytes: Int
    private let reservedDiskBytes: UInt64
    private var diskCheckedAt: Uptime?
    private var isDiskLow = false
    /// The number of pages of the database in use and in the limit, at the last admission.
    private var pages: (used: Int, limit: Int) = (0, .max)

    init(options: LMDBRegistry.Options) {
        limitBytes = options.maximumMapBytes
        reservedDiskBytes = options.reservedDiskBytes
    }

    /// Decides which changes `environment` has room for.
    ///
    /// - Parameter changedDatabasePages: the pages of the open transaction: each is a copy that the commit writes.
    mutating func decideAdmission(
        to environment: LMDBEnvironment, changedDatabasePages: Int, at now: Uptime
    ) throws -> Admission {
        let percent = try measure(environment, changedDatabasePages: changedDatabasePages)
        if diskCheckedAt.map({ now.milliseconds(since: $0) >= Self.diskIntervalMilliseconds }) ?? true {
            diskCheckedAt = now
            isDiskLow = Self.freeBytes(at: environment.path).map { $0 < reservedDiskBytes } ?? false
        }
        return Admission(
            admitsMessages: !isDiskLow && percent <= Self.messagePercent,
            admitsRegistrations: !isDiskLow && percent <= Self.registrationPercent
        )
    }

    /// Returns true if a transaction that has changed `changedDatabasePages` pages may stay open after its changes are
    /// answered.
    ///
    /// Each changed page is a copy until the commit. With these copies the database must stay below its limit:
    /// otherwise the commit of changes that were answered would fail. The number of changed pages is an estimate; if it
    /// is too low, ``LMDBRegistry/Options/overdraftBytes`` gives room.
    func mayDeferCommit(changedDatabasePages: Int) -> Bool {
        let (neededPages, overflows) = changedDatabasePages.addingReportingOverflow(
            changedDatabasePages / 8 + Self.freeListPages)
        return !overflows && neededPages <= pages.limit - pages.used
    }

    /// The number of pages that a commit may take for the list of free pages.
    private static let freeListPages = 64

    /// Measures the pages in use, in percent of the limit. The limit may be below the present size of the map. Free
    /// pages are counted only when the result is high enough to refuse changes: the file never shrinks, and counting
    /// takes time.
    private mutating func measure(_ environment: LMDBEnvironment, changedDatabasePages: Int) throws -> Int {
        let space = try environment.space()
        pages = (space.usedPages, max(1, limitBytes / space.pageBytes))
        var percent: Int { (pages.used + changedDatabasePages) * 100 / pages.limit }
        if percent > Self.messagePercent { pages.used -= try environment.countFreePages() }
        return percent
    }

    /// Returns the text to append to the error of a write: a sentence if the file system is full, otherwise nothing.
    /// LMDB gives the same error for a full file system as for a broken disk.
    static func fullDiskNote(of environment: LMDBEnvironment) -> String {
        fullDiskNote(path: environment.path, freeBytes: freeBytes(at: environment.path))
    }

    /// Returns the text of `fullDiskNote(of:)` for a file system with that many free bytes. `freeBytes` is nil if the
    /// number is unknown.
    static func fullDiskNote(path: String, freeBytes: UInt64?) -> String {
        guard let freeBytes, freeBytes < minimumFreeBytes else { return "" }
        return ". The file system of \(path) is full (\(freeBytes >> 10) KiB free): make room and start again. Nothing "
            + "that was answered is lost"
    }

    /// The number of free bytes below which a file system is full for a commit.
    private static let minimumFreeBytes: UInt64 = 16 << 20

    /// Returns the bytes that this process may still write on the file system; nil if their number is unknown.
    private static func freeBytes(at path: String) -> UInt64? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        let (bytes, overflows) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return overflows ? .max : bytes
    }
}
