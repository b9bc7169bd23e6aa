import CarillonCore
import CarillonLMDB
import CarillonRegistry
import Foundation

/// The registry that each input corrupts anew, in memory where the system has a memory file system.
final class CorruptedRegistry {
    // Safety: libFuzzer runs inputs one after the other on one thread.
    nonisolated(unsafe) static let shared: CorruptedRegistry = {
        do {
            return try CorruptedRegistry()
        } catch {
            printError("The registry cannot be made: \(error)")
            exit(2)
        }
    }()

    private let path: String
    private let soundDatabase: [UInt8]
    private let tables: [String]
    private var rows: [[(key: [UInt8], value: [UInt8])]] = []

    private init() throws {
        let memory = "/dev/shm"
        let folder = FileManager.default.isWritableFile(atPath: memory) ? memory + "/" : NSTemporaryDirectory()
        path = folder + "carillon-fuzz-\(getpid())"
        // Why try?: there may be none of an earlier run.
        try? FileManager.default.removeItem(atPath: path)
        let registry = try LMDBRegistry(path: path, options: Self.options)
        for change in SampleRegistry.changes(now: Timestamp(milliseconds: 1_000)) {
            registry.submit(change, deadline: nil) { result in
                if case .failure(let error) = result { demand(false, "the sound registry refuses: \(error)") }
            }
        }
        registry.close()
        let reader = try LMDBRegistry(reading: path)
        // A server on its own has no claims.
        let used = try reader.registryStatistics(largest: 0).tables.filter { !$0.name.hasSuffix("claims") }
        tables = used.map { table in
            demand(table.rows > 0, "the sample has nothing in \(table.name)")
            return table.name
        }
        reader.close()
        soundDatabase = Array(try Data(contentsOf: URL(fileURLWithPath: path + "/data.mdb")))
        rows = try withEnvironment { environment in
            try tables.map { table in try Self.rows(of: try environment.openDatabase(table), environment) }
        }
        atexit { CorruptedRegistry.shared.remove() }
    }

    private static var options: LMDBRegistry.Options {
        var options = LMDBRegistry.Options()
        options.mapBytes = 1 << 20
        options.maximumMapBytes = 4 << 20
        options.reservedDiskBytes = 0
        return options
    }

    private func remove() {
        // Why try?: it is in a directory of temporary files.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Opens the registry as a server does.
    ///
    /// - Parameter isBulkIngest: true if each change is appended to the write-ahead log, and waits long for its commit.
    func open(isBulkIngest: Bool = false) throws -> LMDBRegistry {
        var options = Self.options
        if isBulkIngest {
            options.bulkIngest.minimumChanges = 1
            options.bulkIngest.minimumSurplus = 1
            options.checkpoints.idleCommitMilliseconds = 3_600_000
            options.checkpoints.delayMilliseconds = 3_600_000
        }
        return try LMDBRegistry(path: path, options: options)
    }

    /// Returns the bytes of a file of the registry; nil if there is no such file.
    // Why try?: nil says that there is none.
    func bytes(of name: String) -> Data? { try? Data(contentsOf: URL(fileURLWithPath: path + "/" + name)) }

    func replace(_ name: String, with bytes: Data?) {
        // Why try?: the next opening meets a file that could not be written.
        try? bytes?.write(to: URL(fileURLWithPath: path + "/" + name))
    }

    /// Makes the registry sound again and corrupts it.
    func corrupt(_ corruptions: [Corruption]) throws {
        // Why try?: there may be none.
        try? FileManager.default.removeItem(atPath: path + "/data.wal")
        try Data(soundDatabase).write(to: URL(fileURLWithPath: path + "/data.mdb"))
        if corruptions.isEmpty { return }
        try withEnvironment { environment in
            let databases = try tables.map { try environment.openDatabase($0) }
            try environment.write { transaction in
                for corruption in corruptions {
                    let table = corruption.table % databases.count
                    try apply(corruption, to: databases[table], rows: rows[table], in: &transaction)
                }
            }
        }
    }

    private func withEnvironment<R>(_ body: (LMDBEnvironment) throws -> R) throws -> R {
        var options = LMDBEnvironment.Options()
        options.mapBytes = 1 << 20
        return try body(try LMDBEnvironment(path: path, options: options))
    }

    private func apply(
        _ corruption: Corruption,
        to database: Database,
        rows: [(key: [UInt8], value: [UInt8])],
        in transaction: inout WriteTransaction
    ) throws {
        if case .add(let key, let value) = corruption.step {
            guard !key.isEmpty else { return }
            return try transaction.put(value.span, for: key.span, in: database)
        }
        guard !rows.isEmpty else { return }
        let (key, value) = rows[corruption.row % rows.count]
        // An earlier corruption may have changed it.
        var current = try transaction.get(key.span, in: database) ?? value
        switch corruption.step {
        case .flip(let offset, let mask):
            guard !current.isEmpty else { return }
            current[Int(offset) % current.count] ^= mask
        case .cut(let count): current.removeLast(min(current.count, Int(count)))
        case .replace(let bytes): current = bytes
        case .remove:
            _ = try transaction.delete(key.span, in: database)
            return
        case .add: return
        }
        try transaction.put(current.span, for: key.span, in: database)
    }

    private static func rows(
        of database: Database,
        _ environment: LMDBEnvironment
    ) throws -> [(key: [UInt8], value: [UInt8])] {
        var rows: [(key: [UInt8], value: [UInt8])] = []
        try environment.read { transaction in
            try transaction.forEach(in: database, prefix: [UInt8]().span) { key, value in
                rows.append((copy(key), copy(value)))
                return .proceed
            }
        }
        return rows
    }

    private static func copy(_ bytes: borrowing Span<UInt8>) -> [UInt8] {
        bytes.withUnsafeBufferPointer { Array($0) }
    }
}

/// A change that corrupts one stored record.
struct Corruption {
    enum Step {
        case flip(offset: UInt8, mask: UInt8)
        case cut(count: UInt8)
        case replace([UInt8])
        case remove
        case add(key: [UInt8], value: [UInt8])
    }

    /// The number of the table. Numbers beyond the last begin anew.
    var table: Int
    /// The number of the record in the table. Numbers beyond the last begin anew.
    var row: Int
    var step: Step

    /// Reads at most eight corruptions.
    static func read(_ input: inout FuzzInput) -> [Corruption] {
        var result: [Corruption] = []
        while !input.isEmpty, result.count < 8 {
            let table = Int(input.byte())
            let row = Int(input.byte())
            let step: Step =
                switch input.byte() % 5 {
                case 0: .flip(offset: input.byte(), mask: input.byte())
                case 1: .cut(count: input.byte())
                case 2: .replace(input.take(Int(input.byte())))
                case 3: .remove
                default: .add(key: input.take(Int(input.byte()) + 1), value: input.take(Int(input.byte())))
                }
            result.append(Corruption(table: table, row: row, step: step))
        }
        return result
    }
}
