import CarillonClock
import CarillonCluster
package import CarillonCore
import CarillonLMDB
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The registry and the outbox, stored in one LMDB environment.
///
/// One thread owns all write transactions: it dequeues submissions, appends them to the write-ahead log with a real
/// fsync, applies them in order to the open transaction, and then calls the completions in order; a commit follows for
/// many of them. Submissions that the queue refuses (`.overloaded`,
/// `.closed`, after a failure of the disk) are completed on the caller's thread before `submit` returns.
///
/// When the disk fails the registry stops for good: all submissions that wait and all later ones get `.storageFailed`,
/// and `onFailure` is called once.
package final class LMDBRegistry: Registry {
    package let epoch: UUIDBytes
    /// The data directory.
    package let path: String
    /// What all replicas of a shared log must have in common (``LogOrigin/parameters``).
    package let originParameters: [UInt8]

    let wallClock: @Sendable () -> Timestamp
    /// See ``Options/writerSearchSteps``.
    let writerSearchSteps: Int
    let onUnreadable: @Sendable (String) -> Void
    /// Nil if the registry keeps a log of its own.
    let link: ReplicaLink?
    let queue: WriteQueue
    let gate = ReadGate()
    let state: Mutex<OpenState?>

    /// The open environment; nil after `close`.
    struct OpenState: Sendable {
        /// Nil for a registry that is only read.
        let lock: DirectoryLock?
        let environment: LMDBEnvironment
        let layout: Layout
    }

    /// Opens the registry in the directory `path`, or makes it, and changes its settings if the options have others.
    ///
    /// - Parameters:
    ///   - lock: the lock of the directory, if the caller holds it already.
    ///   - uptime: the clock of the deadlines given to `submit`; by default `CLOCK_MONOTONIC`.
    ///   - wallClock: the time at which silent-push budgets are read; by default `CLOCK_REALTIME`.
    ///   - onEvents: called on the writer thread, after a commit that wrote events, with the number of the newest. Must
    ///     not block.
    ///   - onFailure: called once, on the writer thread, when the disk has failed.
    /// - Throws: `.inUse` if another process uses the directory, `.refused` if it belongs to a cluster and is opened
    ///   without it, `.storageFailed` if the environment cannot be opened, `.corrupted` if its schema is neither the current one nor an older one that is upgraded, if a file is
    ///   damaged, or if the write-ahead log has lost changes that were answered.
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
            if options.replica != nil { (options.wal.isUsed, options.settings) = (false, nil) }
            if options.createsDirectory { try StorageDirectory.create(path) }
            // First of all: the process that has the lock may replace files.
            let lock = try lock ?? ReplicaReplacement.lockAndInstall(at: path)
            let directory = try WALDirectory(path: path)
            if !DataFile.exists(in: path), let damage = try WALInspection.damage(withoutDatabase: directory) {
                throw damage.error
            }
            try Self.dropCommitInDoubt(at: path, directory, lock)
            let environment = try LMDBEnvironment(path: path, options: Self.environmentOptions(options))
            try lock.claimDatabase()
            let stored = try Self.upgrade(environment, options) ?? Self.checkedMark(of: environment)
            let mark = try stored ?? Self.initialize(environment)
            let layout = try Layout(environment, mark, create: true)
            (epoch, originParameters, self.path) = (mark.epoch, mark.parameters, path)
            let replica = try Self.replica(of: environment, layout, isNew: stored == nil, options.replica)
            let storedWAL = try environment.read { try layout.meta.storedWAL(in: $0) }
            let wal = try WriteAheadLog(directory: directory, epoch: epoch, stored: storedWAL)
            queue = WriteQueue(options: options)
            onUnreadable = options.onUnreadable
            writerSearchSteps = options.writerSearchSteps
            link = options.replica
            self.wallClock = wallClock
            state = Mutex(OpenState(lock: lock, environment: environment, layout: layout))
            let writer = Writer(
                lock: lock,
                environment: environment,
                layout: layout,
                wal: wal,
                queue: queue,
                readGate: gate,
                options: options,
                replica: replica.flatMap { replica in
                    options.replica.map { ReplicaWork($0, replica, at: uptime()) }
                },
                uptime: uptime,
                onEvents: onEvents,
                onFailure: onFailure
            )
            try writer.recover()
            // Before the writer's thread has begun, so that the node can be made at once.
            if let replica, let link { link.open(replica) { [queue] in queue.wake() } }
            // Settings that cannot be read are replaced.
            let known = try? environment.read { (transaction) throws in try layout.meta.settings(in: transaction) }
            try WriterThread.start(queue: queue, writer)
            if let settings = options.settings, settings != known { try configure(settings) }
        } catch {
            throw RegistryError(reading: error)
        }
    }

    /// Changes the settings, before every other change.
    private func configure(_ settings: RegistrySettings) throws(RegistryError) {
        let result = BlockingResult()
        submit(.configure(settings), deadline: nil) { answer in result.set(answer.map { _ in true }) }
        _ = try result.wait().get()
    }

    /// Opens the registry in the directory `path` for reading only: a copy, or beside the server that uses it. Changes
    /// are refused with `.closed`.
    ///
    /// - Throws: `.storageFailed` if there is nothing that can be opened, `.corrupted` if it was not made by this
    ///   schema.
    package init(reading path: String) throws(RegistryError) {
        do {
            let environment = try LMDBEnvironment(path: path, options: Self.readingOptions)
            let mark = try Self.storedMark(of: environment)
            (epoch, originParameters, self.path, link) = (mark.epoch, mark.parameters, path, nil)
            queue = WriteQueue(options: Options())
            queue.close()
            queue.stopped()
            wallClock = Clock.wallTime
            writerSearchSteps = .max
            onUnreadable = { _ in }
            let layout = try Layout(environment, mark, create: false)
            state = Mutex(OpenState(lock: nil, environment: environment, layout: layout))
        } catch {
            throw RegistryError(reading: error)
        }
    }

    /// Returns true if the directory `path` must be opened for writing before it can be read: its schema is an
    /// older one, or its write-ahead log has answered changes that the database lacks, after the server
    /// was killed. Only while no process uses the directory.
    ///
    /// - Throws: `.corrupted` if the log has lost changes that were answered.
    package static func needsRecovery(at path: String) throws(RegistryError) -> Bool {
        do {
            // Its newest commit may not be whole, and is not read.
            if case .upTo = try WALInspection.durableCommits(in: WALDirectory(path: path)) { return true }
            let environment = try LMDBEnvironment(path: path, options: readingOptions)
            if let meta = try database("meta", of: environment),
                let schema = try environment.read({ try MetaTable(database: meta).schema(in: $0) }),
                SchemaUpgrade.older.contains(schema)
            {
                return true
            }
        } catch {
            throw RegistryError(reading: error)
        }
        let inspection = try inspectLog(at: path, .unused).inspection
        if let damage = inspection.damage { throw damage.error }
        return inspection.scan.map { $0.records > 0 } ?? false
    }

    /// Drops the newest commit of the database if it is in doubt: after a power cut it may not be whole, and the
    /// write-ahead log has its changes.
    ///
    /// - Parameter lock: the lock of the directory: no other process writes to the database.
    static func dropCommitInDoubt(at path: String, _ directory: WALDirectory, _ lock: DirectoryLock) throws {
        defer { withExtendedLifetime(lock) {} }
        // If it is unknown which commits are durable, the log is missing or damaged: the start is refused.
        guard case .upTo(let durable) = try WALInspection.durableCommits(in: directory) else { return }
        try DataFile.dropCommit(after: durable, in: path)
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
            change, deadline: deadline, chunks: queue.chunks.load(ordering: .relaxed), completion)
        if let refusal = queue.append(submission) { completion(.failure(refusal)) }
    }

    /// Queues changes, each for itself; see `Registry.submitEach`.
    package func submitEach(
        _ changes: [(change: Change, deadline: Uptime?)],
        completion: @escaping @Sendable ([Result<ChangeAnswer, RegistryError>]) -> Void
    ) {
        guard !changes.isEmpty else { return completion([]) }
        let barrier = CompletionBarrier(count: changes.count, completion)
        let chunks = queue.chunks.load(ordering: .relaxed)
        let refused = queue.append(count: changes.count) { index in
            let (change, deadline) = changes[index]
            return Submission(change, deadline: deadline, chunks: chunks, barrier: barrier, index: index)
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
    /// A replica sweeps only if its node is the oldest: a sweep is an entry for all.
    package func sweep(now: Timestamp) throws(RegistryError) -> Bool {
        if let link, link.knowledge?.isOldest != true { return false }
        // The slot of a reader that died, for example in an interrupted backup, would keep all pages of its snapshot
        // for good.
        _ = try withEnvironment { environment, _ in try environment.checkReaders() }
        let result = BlockingResult()
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

    // MARK: Reads

    /// True if a snapshot that begins now shows every answered change; see `Registry.isCurrent`.
    package var isCurrent: Bool { gate.isOpen }

    /// Runs `body` on a snapshot that shows every answered change. If none does, waits for a checkpoint.
    ///
    /// For reads that may be long: the writer goes on meanwhile.
    func read<R>(_ body: (borrowing ReadTransaction, Layout) throws -> R) throws(RegistryError) -> R {
        try waitForCheckpoint()
        return try withEnvironment { environment, layout in try environment.read { try body($0, layout) } }
    }

    /// Waits until the database contains every change that is answered now.
    func waitForCheckpoint() throws(RegistryError) {
        guard !gate.isOpen else { return }
        let result = BlockingResult()
        guard gate.wait({ error in result.set(error.map { .failure($0) } ?? .success(true)) }) else { return }
        queue.wake()
        _ = try result.wait().get()
    }

    /// Runs `body` on every answered change: on a snapshot, or, if none shows them, between two slices of the writer.
    ///
    /// For reads of a few milliseconds at most, which do not wait for a checkpoint.
    func briefRead<R>(_ body: (borrowing ReadTransaction, Layout) throws -> R) throws(RegistryError) -> R {
        guard !gate.isOpen else { return try read(body) }
        let answer = withoutActuallyEscaping(body) { body -> Result<R, any Error>? in
            let blocking = BlockingRead(body)
            guard queue.append(blocking.writerRead) else {
                blocking.releaseBody()
                return nil
            }
            return blocking.wait()
        }
        // The writer has ended: everything is committed, or the gate has its failure.
        guard let answer else { return try read(body) }
        do {
            return try answer.get()
        } catch {
            throw RegistryError(reading: error)
        }
    }

    /// Runs `body`, which reads a few keys, on the newest snapshot, without waiting for a checkpoint or a long read. It
    /// shows every change that was answered when `isCurrent` was true.
    func readWithoutWaiting<R>(
        _ body: (borrowing ReadTransaction, Layout) throws -> R
    ) throws(RegistryError) -> R {
        if let failure = gate.failure { throw failure }
        return try withEnvironment { environment, layout in
            try environment.read(isBrief: true) { try body($0, layout) }
        }
    }

    /// Runs `body` on the environment, unless it is closed.
    func withEnvironment<R>(
        _ body: (LMDBEnvironment, Layout) throws -> R
    ) throws(RegistryError) -> R {
        guard let opened = state.withLock({ $0 }) else { throw .closed }
        do {
            return try body(opened.environment, opened.layout)
        } catch {
            throw RegistryError(reading: error)
        }
    }

    private static var readingOptions: LMDBEnvironment.Options {
        var result = LMDBEnvironment.Options()
        result.maximumDatabases = Layout.databaseCount
        result.readOnly = true
        return result
    }

    private static func environmentOptions(_ options: Options) -> LMDBEnvironment.Options {
        var result = LMDBEnvironment.Options()
        result.mapBytes = min(options.mapBytes, options.maximumMapBytes)
        result.maximumDatabases = Layout.databaseCount
        result.maximumReaders = options.maximumReaders
        result.createsDirectory = options.createsDirectory
        return result
    }

    /// What the database in a directory that no process uses knows of a shared log.
    ///
    /// - Throws: `.corrupted` if it belongs to none.
    package static func replica(at path: String) throws(RegistryError) -> ReplicaState {
        let registry = try LMDBRegistry(reading: path)
        defer { registry.close() }
        guard let state = try registry.read({ try $1.meta.replica(in: $0) }) else {
            throw .corrupted("meta: the database belongs to no shared log")
        }
        return state
    }

    /// What a database knows of a shared log, as its start needs it; nil without one. A database that is opened without
    /// the cluster that it has left belongs to none from now on.
    private static func replica(
        of environment: LMDBEnvironment, _ layout: Layout, isNew: Bool, _ link: ReplicaLink?
    ) throws -> ReplicaState? {
        let stored = try environment.read { try layout.meta.replica(in: $0) }
        let known = stored ?? ReplicaState(hasData: !isNew)
        switch StartRule.decide(known.content, known.live, isInCluster: link != nil) {
        case .refused(let sentence): throw RegistryError.refused(sentence)
        case .node:
            // The name of the directory must not change before the first commit.
            if stored == nil { try environment.write { try layout.meta.putReplica(known, in: &$0) } }
            return known
        case .alone:
            guard stored != nil else { return nil }
            try environment.write { transaction in
                try layout.meta.putReplica(nil, in: &transaction)
                try layout.claims?.removeAll(in: &transaction)
            }
            return nil
        }
    }

    /// Marks a new environment.
    private static func initialize(_ environment: LMDBEnvironment) throws -> RegistryMark {
        let mark = RegistryMark.random()
        let meta = MetaTable(database: try environment.openDatabase("meta", create: true))
        try environment.write { try meta.initialize(mark, in: &$0) }
        return mark
    }

    /// Upgrades a database of an older schema. Returns nil, without a change, if it has another one.
    private static func upgrade(_ environment: LMDBEnvironment, _ options: Options) throws -> RegistryMark? {
        guard let database = try database("meta", of: environment),
            let schema = try environment.read({ try MetaTable(database: database).schema(in: $0) }),
            SchemaUpgrade.older.contains(schema)
        else { return nil }
        let upgrade = try SchemaUpgrade(environment, onUnreadable: options.onUnreadable)
        // Without the limit: the pages that the upgrade takes are free afterwards.
        return try environment.write(growingTo: 1 << 44) { try upgrade.run(in: &$0) }
    }

    /// The mark of the database; nil if it is new. Changes nothing.
    private static func checkedMark(of environment: LMDBEnvironment) throws -> RegistryMark? {
        if let database = try database("meta", of: environment) {
            let meta = MetaTable(database: database)
            let mark = try environment.read { transaction -> RegistryMark? in
                guard let schema = try meta.schema(in: transaction) else { return nil }
                return try Self.mark(of: meta, schema: schema, in: transaction)
            }
            if let mark { return mark }
        }
        // If the schema row is missing, so are the counters: ids would be given twice.
        for name in Layout.names {
            guard let database = try database(name, of: environment) else { continue }
            guard try environment.read({ try $0.count(in: database) }) == 0 else {
                throw RegistryError.corrupted("meta: no schema, and \(name) is not empty")
            }
        }
        return nil
    }

    /// The mark of the database.
    static func storedMark(of environment: LMDBEnvironment) throws -> RegistryMark {
        guard let database = try database("meta", of: environment) else {
            throw RegistryError.corrupted("meta: it is missing, this is no registry")
        }
        let meta = MetaTable(database: database)
        return try environment.read { transaction in
            guard let schema = try meta.schema(in: transaction) else {
                throw RegistryError.corrupted("meta: no schema")
            }
            return try mark(of: meta, schema: schema, in: transaction)
        }
    }

    /// A database of LMDB by its name; nil if it does not exist.
    private static func database(_ name: String, of environment: LMDBEnvironment) throws -> Database? {
        do throws(LMDBError) {
            return try environment.openDatabase(name)
        } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }

    private static func mark(
        of meta: MetaTable, schema: UInt32, in transaction: borrowing some Transaction & ~Copyable
    ) throws -> RegistryMark {
        guard schema == MetaTable.schema else {
            throw RegistryError.corrupted("meta: schema \(schema), this program reads \(MetaTable.schema)")
        }
        guard let mark = try meta.mark(in: transaction) else {
            throw RegistryError.corrupted("meta: no epoch, or no secret")
        }
        return mark
    }
}

extension RegistryError {
    /// Makes the error that an error of opening or reading means.
    init(reading error: any Error) {
        switch error {
        case let error as RegistryError:
            self = error
        case let error as LMDBError where error.code == .corrupted || error.code == .pageNotFound:
            self = .corrupted(error.description)
        case let error as LMDBError where error.code == .readersFull:
            self = .overloaded
        case let error as LMDBError:
            self = .storageFailed(error.description)
        default:
            self = .storageFailed("an unknown error")
        }
    }
}
