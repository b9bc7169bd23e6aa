import CCarillonLMDB
import Synchronization

/// An LMDB environment: one file, many databases, one writer and many readers.
///
/// It is opened with LMDB's durable default flags and `MDB_NOTLS`: a commit that has returned is on the disk, unless
/// ``setSyncsCommits(_:)`` says otherwise. A process opens a path once. Other processes may open it at the same time,
/// as a dump tool does with `isReadOnly`. Do not fork with it open, and keep it off network file systems.
///
/// Transactions exist only inside the closures of ``read(_:)`` and ``write(_:)``, which cannot suspend. Keep reads
/// short: pages freed by later commits cannot be used again while an older snapshot is open.
package final class LMDBEnvironment: Sendable {
    package struct Options: Sendable {
        /// The minimum size of the map in bytes, which limits the data. A file that was grown further keeps its size.
        package var mapBytes = 1 << 30
        package var maximumDatabases = 32
        /// The most read transactions in all processes together: at least twice the threads that read.
        package var maximumReaders = 126
        /// True to refuse writes, and to take size and databases as they are: for tools beside a live server.
        package var isReadOnly = false
        /// True to make a missing directory (mode 0700), but not its parents.
        package var createsDirectory = false

        package init() {}
    }

    /// The directory of `data.mdb` and `lock.mdb`.
    package let path: String
    package let isReadOnly: Bool

    // Safety: an MDB_env may be used by many threads at once; `gate` keeps changes of the map apart from transactions,
    // and `deinit` runs when no call is in progress.
    nonisolated(unsafe) let handle: OpaquePointer
    let gate: TransactionGate
    private let readers = ReaderPool()
    /// The growth of the file before LMDB writes. Only taken with the write transaction open.
    private let growth = Mutex(FileGrowth())
    private let directoryLock: ProcessDirectoryLock

    /// Opens the LMDB environment at `path`, a directory, and frees the reader slots of dead processes. Unless it is
    /// opened for reading only, no other process may open it at the same time for writing.
    ///
    /// - Throws: `.alreadyOpen` if this process has it open; `.corrupted` or `.invalidFile` with a detail if the file
    ///   cannot be what LMDB has written; `.noSuchFile`, `.accessDenied`, `.versionMismatch` and others as
    ///   `mdb_env_open` gives them.
    package init(path: String, options: Options = Options()) throws(LMDBError) {
        if options.createsDirectory && !options.isReadOnly { try StorageDirectory.create(path) }
        let directoryLock = try ProcessDirectoryLock(path: path)
        let gate = try TransactionGate()
        self.handle = try Self.open(path: path, options: options)
        self.path = path
        self.isReadOnly = options.isReadOnly
        self.gate = gate
        self.directoryLock = directoryLock
    }

    deinit {
        readers.freeIdle()
        mdb_env_close(handle)
    }

    private static func open(path: String, options: Options) throws(LMDBError) -> OpaquePointer {
        guard let maximumDatabases = CUnsignedInt(exactly: options.maximumDatabases),
            let maximumReaders = CUnsignedInt(exactly: options.maximumReaders), options.mapBytes > 0
        else { throw LMDBError(.invalidArgument, operation: "open") }
        if !options.isReadOnly { try DataFile.prepare(in: path) }
        try DataFileCheck.run(in: path)
        var opened: OpaquePointer?
        try LMDBError.check(mdb_env_create(&opened), "mdb_env_create")
        guard let handle = opened else { throw LMDBError(.outOfMemory, operation: "mdb_env_create") }
        DataFile.explainAborts(of: handle)
        do throws(LMDBError) {
            try LMDBError.check(mdb_env_set_maxdbs(handle, maximumDatabases), "mdb_env_set_maxdbs")
            try LMDBError.check(mdb_env_set_maxreaders(handle, maximumReaders), "mdb_env_set_maxreaders")
            let flags = MDB_NOTLS | (options.isReadOnly ? MDB_RDONLY : 0)
            try LMDBError.check(mdb_env_open(handle, path, CUnsignedInt(flags), 0o600), "mdb_env_open")
            var dead: CInt = 0
            try LMDBError.check(mdb_reader_check(handle, &dead), "mdb_reader_check")
            if !options.isReadOnly {
                try reserveMap(of: handle, bytes: options.mapBytes)
                try StorageDirectory.sync(path)
            }
        } catch {
            // lmdb.h: "If this function fails, mdb_env_close() must be called".
            mdb_env_close(handle)
            throw error
        }
        return handle
    }

    /// Reserves a map of at least `bytes` bytes in an open LMDB environment. Opening without a size takes the one in
    /// the file; a size given before would shrink a map that had grown.
    private static func reserveMap(of handle: OpaquePointer, bytes: Int) throws(LMDBError) {
        var info = MDB_envinfo()
        try LMDBError.check(mdb_env_info(handle, &info), "mdb_env_info")
        guard info.me_mapsize < bytes else { return }
        try LMDBError.check(mdb_env_set_mapsize(handle, bytes), "mdb_env_set_mapsize")
    }

    // MARK: Databases

    /// The action if a database does not exist.
    package enum IfMissing: Sendable {
        case create
        case fail
    }

    /// Opens a plain database, in a transaction of its own; do so for all of them at the start.
    ///
    /// Waits for all open transactions.
    ///
    /// - Throws: `.notFound` if it is missing and is not to be made, `.incompatible` if it is not a plain one,
    ///   `.badTransaction` inside a transaction.
    package func openDatabase(_ name: String, ifMissing: IfMissing = .fail) throws(LMDBError) -> Database {
        try database(named: name, ifMissing: ifMissing)
    }

    /// Returns the names of all databases, in the order of their bytes. Waits for all open transactions.
    package func databaseNames() throws -> [String] {
        // LMDB's database without a name has a row for each that has one.
        let unnamed = try database(named: nil, ifMissing: .fail)
        var names: [String] = []
        try read { transaction in
            _ = try transaction.forEach(in: unnamed, from: [UInt8]().span) { name, _ in
                names.append(String(decoding: name.withUnsafeBufferPointer { Array($0) }, as: UTF8.self))
                return .proceed
            }
        }
        return names
    }

    private func database(named name: String?, ifMissing: IfMissing) throws(LMDBError) -> Database {
        try gate.runAlone("mdb_dbi_open") { () throws(LMDBError) in
            var transaction: OpaquePointer?
            let kind = CUnsignedInt(ifMissing == .create ? 0 : MDB_RDONLY)
            try LMDBError.check(mdb_txn_begin(handle, nil, kind, &transaction), "mdb_txn_begin")
            var id: MDB_dbi = 0
            var flags: CUnsignedInt = 0
            do throws(LMDBError) {
                let flag = CUnsignedInt(ifMissing == .create ? MDB_CREATE : 0)
                try LMDBError.check(mdb_dbi_open(transaction, name, flag, &id), "mdb_dbi_open")
                try LMDBError.check(mdb_dbi_flags(transaction, id, &flags), "mdb_dbi_flags")
                if flags != 0 { throw LMDBError(.incompatible, operation: "mdb_dbi_open") }
            } catch {
                mdb_txn_abort(transaction)
                throw error
            }
            // Also in a read transaction, a handle stays open only if the transaction is committed.
            try LMDBError.check(mdb_txn_commit(transaction), "mdb_txn_commit")
            return Database(id: id)
        }
    }

    /// Sets whether a commit waits for the disk. At first it waits. Must not be called during a commit.
    ///
    /// A commit that does not wait is on the disk after ``sync()``. Until then no other transaction may be committed,
    /// and after a power cut only the commit before it is sure to be whole: ``DataFile/dropCommit(after:in:)``.
    package func setSyncsCommits(_ syncs: Bool) throws(LMDBError) {
        try LMDBError.check(mdb_env_set_flags(handle, CUnsignedInt(MDB_NOSYNC), syncs ? 0 : 1), "mdb_env_set_flags")
    }

    // MARK: Transactions

    /// Runs `body` on a snapshot of everything committed so far; any number of threads may read at once.
    ///
    /// - Parameter isBrief: true for a read of a few keys: it does not wait for long reads when the map is about to
    ///   grow.
    /// - Throws: `.readersFull`, or what `body` throws.
    @inlinable
    @discardableResult
    package func read<R>(isBrief: Bool = false, _ body: (borrowing ReadTransaction) throws -> R) throws -> R {
        let transaction = ReadTransaction(handle: try beginRead(isBrief: isBrief))
        defer { endRead(transaction.handle, isBrief: isBrief) }
        return try body(transaction)
    }

    /// Runs `body` in the write transaction, after waiting for any other: commits, durably, when it returns, and
    /// leaves everything as it was when it throws.
    ///
    /// - Throws: what `body` throws; of the commit `.inputOutput`, `.noSpace`, `.mapFull`, `.panic`, and
    ///   `.badTransaction` if `body` has swallowed an error of a put or a delete.
    @inlinable
    @discardableResult
    package func write<R>(_ body: (inout WriteTransaction) throws -> R) throws -> R {
        var transaction = WriteTransaction(handle: try beginWrite())
        let result: R
        do {
            result = try body(&transaction)
        } catch {
            abortWrite(transaction.handle)
            throw error
        }
        try commitWrite(transaction.handle)
        return result
    }

    @usableFromInline
    func beginRead(isBrief: Bool) throws(LMDBError) -> OpaquePointer {
        try begin(isBrief ? .briefRead : .read) { () throws(LMDBError) in try readers.begin(in: handle) }
    }

    @usableFromInline
    func endRead(_ transaction: OpaquePointer, isBrief: Bool) {
        readers.end(transaction)
        gate.leave(isBrief ? .briefRead : .read)
    }

    @usableFromInline
    func beginWrite() throws(LMDBError) -> OpaquePointer {
        try begin(.write) { () throws(LMDBError) in
            var transaction: OpaquePointer?
            try LMDBError.check(mdb_txn_begin(handle, nil, 0, &transaction), "mdb_txn_begin")
            guard let transaction else { throw LMDBError(.panic, operation: "mdb_txn_begin") }
            growth.withLock { $0.prepare(handle) }
            return transaction
        }
    }

    @usableFromInline
    func commitWrite(_ transaction: OpaquePointer) throws(LMDBError) {
        // The transaction is freed whatever the answer.
        let result = mdb_txn_commit(transaction)
        gate.leave(.write)
        try LMDBError.check(result, "mdb_txn_commit")
    }

    @usableFromInline
    func abortWrite(_ transaction: OpaquePointer) {
        mdb_txn_abort(transaction)
        gate.leave(.write)
    }

    /// Goes through the gate and begins; if another process has grown the map, adopts its size and tries once more.
    private func begin(
        _ kind: TransactionGate.Kind,
        _ start: () throws(LMDBError) -> OpaquePointer
    ) throws(LMDBError) -> OpaquePointer {
        do throws(LMDBError) {
            return try beginInGate(kind, start)
        } catch {
            guard error.code == .mapResized else { throw error }
            try adoptMapSize()
            return try beginInGate(kind, start)
        }
    }

    private func beginInGate(
        _ kind: TransactionGate.Kind,
        _ start: () throws(LMDBError) -> OpaquePointer
    ) throws(LMDBError) -> OpaquePointer {
        try gate.enter(kind)
        do throws(LMDBError) {
            return try start()
        } catch {
            gate.leave(kind)
            throw error
        }
    }
}
