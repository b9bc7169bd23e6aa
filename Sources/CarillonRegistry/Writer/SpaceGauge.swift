import CarillonCore
import CarillonLMDB

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Decides which changes there is room for, so that the registry refuses some before its storage is full.
///
/// Changes that remove or end something, outcomes and sweeps are always admitted: they are small, and they make room.
struct SpaceGauge {
    /// The kinds of changes that are admitted.
    struct Admission: Equatable {
        var messages = true
        var registrations = true

        /// Returns true if all changes of a submission are admitted.
        func admits(_ work: Submission.Work) -> Bool {
            guard !(messages && registrations) else { return true }
            return switch work {
            case .change(let change): admits(change)
            case .changes(let changes): changes.allSatisfy(admits)
            case .sweep: true
            }
        }

        private func admits(_ change: Change) -> Bool {
            switch change {
            case .accept, .resend: messages
            case .join(let join, _, _): registrations && (messages || join.announcement == nil)
            case .register, .update, .subscribe, .count: registrations
            case .mute(_, _, let isMuted): registrations || isMuted != true
            case .unregister, .leave, .unsubscribe, .record, .finish, .updateMessage, .release, .restore,
                .forgetSubscriber:
                true
            // Both are limited in number.
            case .note, .acknowledge: true
            }
        }
    }

    /// Above this share of the limit, in percent, messages are refused.
    static let messagePercent = 85
    /// Above this share, registrations too.
    static let registrationPercent = 92
    /// Milliseconds between two checks of the file system.
    static let diskInterval: UInt64 = 1_000

    private let limitBytes: Int
    private let reservedDiskBytes: UInt64
    private var diskCheckedAt: UInt64?
    private var isDiskLow = false

    init(options: LMDBRegistry.Options) {
        limitBytes = options.maximumMapBytes
        reservedDiskBytes = options.reservedDiskBytes
    }

    /// Returns what there is room for in `environment`, at an uptime in milliseconds.
    mutating func admission(to environment: LMDBEnvironment, at uptime: UInt64) throws -> Admission {
        let percent = try usedPercent(of: environment)
        if diskCheckedAt.map({ uptime < $0 || uptime - $0 >= Self.diskInterval }) ?? true {
            diskCheckedAt = uptime
            isDiskLow = Self.freeBytes(at: environment.path).map { $0 < reservedDiskBytes } ?? false
        }
        return Admission(
            messages: !isDiskLow && percent <= Self.messagePercent,
            registrations: !isDiskLow && percent <= Self.registrationPercent
        )
    }

    /// Pages in use, in percent of the limit, which may be below the map of today. Free pages are only counted when it
    /// matters: the file never shrinks.
    private func usedPercent(of environment: LMDBEnvironment) throws -> Int {
        let space = try environment.space()
        let limit = max(1, limitBytes / space.pageBytes)
        let percent = space.usedPages * 100 / limit
        guard percent > Self.messagePercent else { return percent }
        return (space.usedPages - (try environment.countFreePages())) * 100 / limit
    }

    /// Bytes that this process may still write on the file system; nil if that is unknown.
    private static func freeBytes(at path: String) -> UInt64? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        let (bytes, overflows) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return overflows ? .max : bytes
    }
}
