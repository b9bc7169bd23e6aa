import CarillonClock
package import CarillonCluster
package import CarillonCore
import Synchronization

/// A shared log that PostgreSQL keeps, or a log database that speaks its protocol and has its SQL: CockroachDB,
/// YugabyteDB.
///
/// It has up to four connections (appending; reading and notifications; leases; snapshots and trimming), which one
/// thread of its own serves. A connection is made when a call first needs it, and again when it is lost.
package final class PostgreSQLLog: SharedLog {
    /// The times between polls of the end of the log for ``SharedLog/awaitEntries(after:withinMilliseconds:_:)``.
    package struct Polling: Hashable, Sendable {
        /// The milliseconds between two polls with notifications. Notifications are a hint: one may be lost with its
        /// connection, and a pooler may keep them. So this time is a quarter of the bound within which a node must know
        /// that it is not behind.
        package var intervalWithNotificationsMilliseconds: UInt64 = 250
        /// The milliseconds from an entry until the next read. Entries that come in this time are read together. Each
        /// read costs several wakes of several threads, and a large fan-out makes a hundred entries a second.
        package var gatherMilliseconds: UInt64 = 10
        /// The milliseconds between two polls without notifications (CockroachDB; YugabyteDB before it enables them). A
        /// poll that finds no entry reads only the row of the head, which the log database has in memory.
        package var intervalWithoutNotificationsMilliseconds: UInt64 = 20
        /// True if notifications are used where the log database has them. Set it to false behind a pooler of
        /// transactions, which keeps them.
        package var usesNotifications = true
        /// The milliseconds for which a poll may go on after the time of its call.
        package var pollMilliseconds: UInt64 = 2_000

        package init() {}
    }

    private let thread: LogThread
    private let firstLog: FirstLog

    /// Opens a log, without connecting yet.
    ///
    /// - Parameters:
    ///   - connection: a `postgresql://` URL or `keyword=value` pairs, as libpq has them, with TLS and authentication.
    ///     The environment and files of libpq (`PGPASSFILE`, `PGSSLROOTCERT`, …) count as well. The string may contain
    ///     a password, which no failure tells.
    ///   - log: the log to which the node's replica belongs; nil if the replica belongs to no log yet. Another log is
    ///     refused.
    ///   - library: the file name of libpq.
    /// - Throws: `.refused` if libpq is missing or the connection string cannot be parsed.
    package init(
        _ connection: String, log: UUIDBytes? = nil, polling: Polling = Polling(), library: String = "libpq.so.5"
    ) throws(LogError) {
        let library = try LibPQ.load(library)
        let connector = PostgreSQLConnector(
            library: library, connectionString: try ConnectionString(connection, parsedBy: library),
            usesNotifications: polling.usesNotifications)
        firstLog = FirstLog(log)
        thread = try LogThread(connector, polling: polling, firstLog: firstLog)
        try thread.start()
    }

    deinit { thread.post(.close) }

    package func close() { thread.post(.close) }

    // MARK: Entries

    package func join(
        _ node: JoiningNode, withinMilliseconds milliseconds: UInt64, _ completion: @escaping LogCompletion<JoinedNode>
    ) {
        guard node.address.utf8.count <= NodeProgress.maximumTextBytes else {
            return completion(.failure(.refused("the address of the node is too long")))
        }
        let firstLog = firstLog
        submit(JoinJob(node, newLog: .random()), to: .append, withinMilliseconds: milliseconds) { result in
            completion(
                result.flatMap { joined in
                    firstLog.rememberOrCompare(joined.log)
                        ? .success(joined)
                        : .failure(.refused("this is another log than the one that was connected to before"))
                })
        }
    }

    package func append(
        _ entry: LogEntry, withinMilliseconds milliseconds: UInt64, _ completion: @escaping LogCompletion<LogPosition>
    ) {
        if case .expired = entry.content {
            return expire(entry, silence: nil, withinMilliseconds: milliseconds, completion)
        }
        submit(AppendJob(entry), withinMilliseconds: milliseconds, completion)
    }

    package func expire(
        _ entry: LogEntry, silence: RequiredSilence?, withinMilliseconds milliseconds: UInt64,
        _ completion: @escaping LogCompletion<LogPosition>
    ) {
        submit(AppendJob(entry, silence: silence), withinMilliseconds: milliseconds, completion)
    }

    package func settle(
        _ id: LogEntry.ID, withinMilliseconds milliseconds: UInt64, _ completion: @escaping LogCompletion<Settlement>
    ) {
        submit(SettleJob(id: id), to: .append, withinMilliseconds: milliseconds, completion)
    }

    package func read(
        after position: LogPosition, limit: ReadLimit, withinMilliseconds milliseconds: UInt64,
        _ completion: @escaping LogCompletion<LogPage>
    ) {
        submit(ReadJob(position: position, limit: limit), to: .read, withinMilliseconds: milliseconds, completion)
    }

    package func awaitEntries(
        after position: LogPosition, withinMilliseconds milliseconds: UInt64,
        _ completion: @escaping LogCompletion<LogPage>
    ) {
        thread.post(
            .awaitEntries(
                after: position, deadline: deadline(withinMilliseconds: milliseconds), completion: completion))
    }

    // MARK: Nodes

    package func renew(
        _ progress: NodeProgress, withinMilliseconds milliseconds: UInt64,
        _ completion: @escaping LogCompletion<ClusterView>
    ) {
        guard max(progress.address.utf8.count, progress.version.utf8.count) <= NodeProgress.maximumTextBytes else {
            return completion(.failure(.refused("the address or the version of the node is too long")))
        }
        submit(ViewJob(progress: progress), to: .control, withinMilliseconds: milliseconds, completion)
    }

    package func view(withinMilliseconds milliseconds: UInt64, _ completion: @escaping LogCompletion<ClusterView>) {
        submit(ViewJob(progress: nil), to: .control, withinMilliseconds: milliseconds, completion)
    }

    // MARK: Snapshots

    package func beginSnapshot(
        _ snapshot: SnapshotHeader, withinMilliseconds milliseconds: UInt64,
        _ completion: @escaping LogCompletion<SnapshotID>
    ) {
        submit(BeginSnapshotJob(snapshot), to: .bulk, withinMilliseconds: milliseconds, completion)
    }

    package func putSnapshotChunk(
        _ bytes: [UInt8], number: UInt32, of snapshot: SnapshotID, withinMilliseconds milliseconds: UInt64,
        _ completion: @escaping LogCompletion<Void>
    ) {
        guard (1...SnapshotHeader.maximumChunkBytes).contains(bytes.count) else {
            return completion(.failure(.refused("a chunk has 1 to \(SnapshotHeader.maximumChunkBytes) bytes")))
        }
        let job = PutSnapshotChunkJob(snapshot: snapshot, number: number, bytes: bytes)
        submit(job, to: .bulk, withinMilliseconds: milliseconds, completion)
    }

    package func completeSnapshot(
        _ snapshot: SnapshotID, chunks count: UInt32, withinMilliseconds milliseconds: UInt64,
        _ completion: @escaping LogCompletion<Void>
    ) {
        submit(
            CompleteSnapshotJob(snapshot: snapshot, chunks: count), to: .bulk, withinMilliseconds: milliseconds,
            completion)
    }

    package func snapshotChunk(
        _ number: UInt32, of snapshot: SnapshotID, withinMilliseconds milliseconds: UInt64,
        _ completion: @escaping LogCompletion<[UInt8]>
    ) {
        submit(
            GetSnapshotChunkJob(snapshot: snapshot, number: number), to: .bulk, withinMilliseconds: milliseconds,
            completion)
    }

    package func trim(
        through position: LogPosition, snapshotsBefore snapshots: LogPosition, withinMilliseconds milliseconds: UInt64,
        _ completion: @escaping LogCompletion<Void>
    ) {
        let job = TrimJob(through: position, snapshotsBefore: snapshots)
        submit(job, to: .bulk, withinMilliseconds: milliseconds, completion)
    }

    // MARK: Jobs

    private func submit(
        _ append: AppendJob, withinMilliseconds milliseconds: UInt64, _ completion: @escaping LogCompletion<LogPosition>
    ) {
        submit(append, to: .append, withinMilliseconds: milliseconds) { [thread] result in
            if case .success(let position) = result { thread.appended(at: position) }
            completion(result)
        }
    }

    private func submit<J: Job>(
        _ job: J, to purpose: PostgreSQLConnector.Purpose, withinMilliseconds milliseconds: UInt64,
        _ completion: @escaping LogCompletion<J.Answer>
    ) {
        thread.post(
            .job(
                SubmittedJob(job, deadline: deadline(withinMilliseconds: milliseconds), completion: completion), purpose
            ))
    }

    private func deadline(withinMilliseconds milliseconds: UInt64) -> Uptime {
        Clock.uptime().later(byMilliseconds: milliseconds)
    }
}

/// The name of the log that a process has connected to first.
final class FirstLog: Sendable {
    private let log = Mutex<UUIDBytes?>(nil)

    init(_ log: UUIDBytes?) { self.log.withLock { $0 = log } }

    /// Remembers the first log that was found, and returns true if this log is that one.
    func rememberOrCompare(_ found: UUIDBytes) -> Bool {
        log.withLock { log in
            if log == nil { log = found }
            return log == found
        }
    }
}
