import CarillonClock
import CarillonCluster
package import CarillonCore
import CarillonLMDB
import CarillonThread
import Glibc
import Synchronization

/// The registry, stored in one LMDB environment and a write-ahead log.
///
/// One thread owns all write transactions. It dequeues submissions, appends them to the write-ahead log, and waits
/// until the disk has them (fdatasync). Then it applies them in order to the open transaction, and calls the
/// completions in order. One commit follows for many submissions. Submissions that the queue refuses (`.overloaded`,
/// `.closed`, after a failure of the disk) are completed on the caller's thread before `submit` returns.
///
/// When the disk fails the registry stops for good: all submissions that wait and all later ones get `.storageFailed`,
/// and `onFailure` is called once.
///
/// The class opens and closes what it keeps, submits changes, and chooses the snapshot of each read. What a read does
/// there is the job of a value, such as `DeviceReader` or `MessageTracer`. Each extension has the reads of one role:
///
/// | Extension | Reads |
/// |---|---|
/// | `+PointReads` | single devices and messages, also on event loops |
/// | `+Listings` | devices, sets and messages in pages; TRACE, EXPLAIN, dry runs |
/// | `+Outbox` | unfinished messages, pages of their recipients, claims |
/// | `+Events` | events and the acknowledgements of their subscribers |
/// | `+Statistics` | counts and sizes |
/// | `+Maintenance` | archives, verification and copies, for operators |
package final class LMDBRegistry: Registry {
    package let epoch: UUIDBytes
    /// The data directory.
    package let path: String
    /// The parameters that all replicas of a shared log have in common (``InitialState/parameters``).
    package let initialParameters: [UInt8]

    let wallClock: @Sendable () -> Timestamp
    /// The most steps of a search for a page by the writer: ``Options/maximumWriterSearchSteps``.
    let maximumWriterSearchSteps: Int
    let onUnreadable: @Sendable (String) -> Void
    /// The way to the node of a cluster; nil if the registry keeps a log of its own.
    let exchange: ReplicaExchange?
    let queue: WriteQueue
    let readGate = ReadGate()
    let state: Mutex<OpenState?>

    /// The open LMDB environment, which is nil after `close`.
    struct OpenState: Sendable {
        /// The lock of the directory; nil for a registry that is only read.
        let lock: DirectoryLock?
        let environment: LMDBEnvironment
        let tables: Tables
    }

    /// Opens the registry in the directory `path`, or makes it, and changes its settings if the options have others.
    ///
    /// - Parameters:
    ///   - lock: the lock of the directory, if the caller holds it already.
    ///   - uptime: the clock of the deadlines given to `submit`; by default `CLOCK_MONOTONIC`.
    ///   - wallClock: the clock by which silent-push budgets are counted; by default `CLOCK_REALTIME`.
    ///   - onEvents: called on the writer thread with the number of the newest event, after a batch that wrote events
    ///     was answered. Its events are on the disk. Must not block.
    ///   - onFailure: called once, on the writer thread, when the disk has failed.
    /// - Throws: `.inUse` if another process uses the directory; `.refused` if it belongs to a cluster and is opened
    ///   without it; `.storageFailed` if the LMDB environment cannot be opened; `.corrupted` if a file is damaged, if
    ///   the schema can be neither used nor upgraded, or if the write-ahead log has lost changes that were answered.
    package init(
        path: String,
        options: Options = Options(),
        lock: DirectoryLock? = nil,
        uptime: @escaping @Sendable () -> Uptime = Clock.uptime,
        wallClock: @escaping @Sendable () -> Timestamp = Clock.wallTime,
        onEvents: @escaping @Sendable (UInt64) -> Void = { _ in },
        onFailure: @escaping @Sendable (RegistryError) -> Void = { _ in }
    ) throws(RegistryError) {
        do {
            var options = options
            // A replica uses the shared log, and its settings come from there.
            if options.exchange != nil {
                options.usesLog = false
                options.settings = nil
            }
            let directory = try OpenedDirectory(path: path, options: options, lock: lock)
            let opened = try OpenedDatabase(in: directory, options: options)
            self.path = path
            epoch = opened.identity.epoch
            initialParameters = opened.identity.parameters
            queue = WriteQueue(options: options)
            onUnreadable = options.onUnreadable
            maximumWriterSearchSteps = options.maximumWriterSearchSteps
            exchange = options.exchange
            self.wallClock = wallClock
            state = Mutex(OpenState(lock: directory.lock, environment: opened.environment, tables: opened.tables))
            let storage = Writer.Storage(
                lock: directory.lock, environment: opened.environment, tables: opened.tables, wal: opened.wal,
                queue: queue, readGate: readGate, replica: opened.replicaContext(over: options.exchange, at: uptime()))
            let writer = Writer(
                storage, options: options, uptime: uptime, onEvents: onEvents, onFailure: onFailure)
            try writer.recover()
            // This happens before the writer's thread begins, so that the node can be made at once.
            if let replica = opened.replica, let exchange { exchange.open(replica) { [queue] in queue.wake() } }
            let known = opened.storedSettings
            try WriterThread.start(queue: queue, writer)
            if let settings = options.settings, settings != known { try configure(settings) }
        } catch {
            throw RegistryError(reading: error)
        }
    }

    /// Changes the settings, before every other change.
    private func configure(_ settings: RegistrySettings) throws(RegistryError) {
        let result = BlockingResult<Void, RegistryError>()
        submit(.configure(settings), deadline: nil) { answer in result.set(answer.map { _ in }) }
        try result.wait().get()
    }

    /// Opens the registry in the directory `path` for reading only: a copy, or beside the server that uses it. Changes
    /// are refused with `.closed`.
    ///
    /// - Throws: `.storageFailed` if there is nothing that can be opened, `.corrupted` if it was not made by this
    ///   schema.
    package init(reading path: String) throws(RegistryError) {
        do {
            let environment = try LMDBEnvironment(path: path, options: Tables.readingOptions)
            let identity = try RegistryIdentity(of: environment)
            epoch = identity.epoch
            initialParameters = identity.parameters
            self.path = path
            exchange = nil
            queue = WriteQueue(options: Options())
            queue.close()
            queue.writerStopped()
            wallClock = Clock.wallTime
            maximumWriterSearchSteps = .max
            onUnreadable = { _ in }
            let tables = try Tables(environment, identity: identity, ifMissing: .fail)
            state = Mutex(OpenState(lock: nil, environment: environment, tables: tables))
        } catch {
            throw RegistryError(reading: error)
        }
    }

    deinit {
        queue.close()
    }

    /// Queues a change; see `Registry.submit`.
    package func submit(
        _ change: Change,
        deadline: Uptime?,
        completion: @escaping @Sendable (Result<ChangeAnswer, RegistryError>) -> Void
    ) {
        let submission = Submission(
            change, deadline: deadline, chunkCount: queue.chunkCount.load(ordering: .relaxed), completion)
        if let refusal = queue.append(submission) { completion(.failure(refusal)) }
    }

    /// Queues changes, each for itself; see `Registry.submitEach`.
    package func submitEach(
        _ changes: [(change: Change, deadline: Uptime?)],
        completion: @escaping @Sendable ([Result<ChangeAnswer, RegistryError>]) -> Void
    ) {
        guard !changes.isEmpty else { return completion([]) }
        let barrier = CompletionBarrier(count: changes.count, completion)
        let chunkCount = queue.chunkCount.load(ordering: .relaxed)
        let refused = queue.append(count: changes.count) { index in
            let (change, deadline) = changes[index]
            return Submission(change, deadline: deadline, chunkCount: chunkCount, barrier: barrier, index: index)
        }
        for (submission, refusal) in refused { submission.complete(.failure(refusal)) }
    }

    /// Queues changes; see `Registry.submit`.
    package func submit(
        _ changes: [Change],
        deadline: Uptime?,
        completion: @escaping @Sendable (Result<[ChangeAnswer], RegistryError>) -> Void
    ) {
        guard changes.count <= RegistryLimits.changesPerSubmission else { return completion(.failure(.overloaded)) }
        if let refusal = queue.append(Submission(changes, deadline: deadline, completion)) {
            completion(.failure(refusal))
        }
    }

    /// Removes what retention allows; see `Registry.sweep`. Waits for the writer: do not call this from a completion.
    ///
    /// A replica sweeps only if its node is the member that joined first, because a sweep is an entry for all nodes.
    package func sweep(now: Timestamp) throws(RegistryError) -> Completeness {
        if let exchange, exchange.appliedState?.isOldestMember != true { return .complete }
        // A reader that died, for example in an interrupted backup, leaves a slot that would keep all pages of its
        // snapshot for good.
        _ = try withEnvironment { environment, _ in try environment.clearDeadReaders() }
        let result = BlockingResult<Completeness, RegistryError>()
        if let refusal = queue.append(Submission(sweep: now, result)) { throw refusal }
        return try result.wait().get()
    }

    /// Writes and answers the submissions in the queue, and closes. Waits for the writer: do not call it from a
    /// completion.
    package func close() {
        queue.close()
        queue.waitUntilStopped()
        state.withLock { $0 = nil }
    }

    /// Waits until the writer has handed over all submissions, to its log or to the node of a cluster, or until the
    /// time is over. Returns false if some still wait.
    package func drainSubmissions(withinMilliseconds milliseconds: UInt64) -> Bool {
        guard queue.waitUntilEmpty(withinMilliseconds: milliseconds) else { return false }
        // The writer hands over what it has taken from the queue before it runs a read.
        // Why try?: a registry that has failed hands over nothing more.
        return (try? newestEventSequence()) != nil
    }

    // MARK: Reads

    /// True if a snapshot that begins now shows every answered change; see `Registry.isSnapshotCurrent`.
    package var isSnapshotCurrent: Bool { readGate.isOpen }

    /// Runs `body` on a snapshot that shows every answered change. If none does, waits for a checkpoint.
    ///
    /// For reads that may be long: they do not stop the writer.
    func readAfterCheckpoint<R>(_ body: (borrowing ReadTransaction, Tables) throws -> R) throws(RegistryError) -> R {
        try waitForCheckpoint()
        return try withEnvironment { environment, tables in try environment.read { try body($0, tables) } }
    }

    /// Waits until the database contains every change that is answered now.
    func waitForCheckpoint() throws(RegistryError) {
        guard !readGate.isOpen else { return }
        let result = BlockingResult<Void, RegistryError>()
        guard readGate.waitIfClosed({ error in result.set(error.map { .failure($0) } ?? .success(())) }) else { return }
        queue.wake()
        try result.wait().get()
    }

    /// Runs `body` on every answered change: on a snapshot, or, if none shows them, between two slices of the writer.
    ///
    /// Call it for reads of a few milliseconds at most: they do not wait for a checkpoint.
    func readCurrent<R>(_ body: (borrowing ReadTransaction, Tables) throws -> R) throws(RegistryError) -> R {
        guard !readGate.isOpen else { return try readAfterCheckpoint(body) }
        let answer = withoutActuallyEscaping(body) { body -> Result<R, any Error>? in
            let blocking = BlockingRead(body)
            guard queue.append(blocking.writerRead) else {
                blocking.releaseBody()
                return nil
            }
            return blocking.wait()
        }
        // The writer has ended: everything is committed, or the gate has its failure.
        guard let answer else { return try readAfterCheckpoint(body) }
        do {
            return try answer.get()
        } catch {
            throw RegistryError(reading: error)
        }
    }

    /// Runs `body`, which reads a few keys, on the newest snapshot, without waiting for a checkpoint or a long read. If
    /// `isSnapshotCurrent` was true before the call, the snapshot shows every change that was answered by then.
    func readBrieflyWithoutWaiting<R>(
        _ body: (borrowing ReadTransaction, Tables) throws -> R
    ) throws(RegistryError) -> R {
        if let failure = readGate.failure { throw failure }
        return try withEnvironment { environment, tables in
            try environment.read(isBrief: true) { try body($0, tables) }
        }
    }

    /// Runs `body` on the newest snapshot, which may lack answered changes. Use it for reads of any length that must
    /// not wait.
    func readWithoutWaiting<R>(
        _ body: (borrowing ReadTransaction, Tables) throws -> R
    ) throws(RegistryError) -> R {
        try withEnvironment { environment, tables in try environment.read { try body($0, tables) } }
    }

    /// Runs `body` on the LMDB environment, unless it is closed.
    func withEnvironment<R>(
        _ body: (LMDBEnvironment, Tables) throws -> R
    ) throws(RegistryError) -> R {
        guard let opened = state.withLock({ $0 }) else { throw .closed }
        do {
            return try body(opened.environment, opened.tables)
        } catch {
            throw RegistryError(reading: error)
        }
    }
}
