import CarillonCluster
import CarillonCore
import CarillonRegistry
import Dispatch
import Glibc
import Synchronization

/// The form of a snapshot in the log: the file of a compacted copy in chunks of 1 MiB, then a chunk with the hash of
/// these bytes, 16 bytes.
enum SnapshotForm {
    static let chunkBytes = SnapshotHeader.maximumChunkBytes

    /// The chunk with the hash, which is the last one.
    static func trailer(_ hash: WordHash) -> [UInt8] {
        [hash.value.high, hash.value.low].flatMap { number in withUnsafeBytes(of: number.bigEndian) { Array($0) } }
    }
}

/// Makes a snapshot of a replica and stores it in the log. For a thread that may wait.
struct SnapshotUpload: Sendable {
    let registry: LMDBRegistry
    let log: any SharedLog
    let member: Member
    let format: UInt16
    let milliseconds: UInt64

    private var folder: String { registry.path + "/snapshot" }

    /// Makes the snapshot. What is left of an earlier one that was not finished is removed.
    func run() -> Result<Void, LogError> {
        removeCopy()
        defer { removeCopy() }
        return Result { () throws(LogError) in
            let state: ReplicaState
            do throws(RegistryError) {
                try registry.copy(to: folder, compacting: true, isSnapshot: true)
                state = try LMDBRegistry.replica(at: folder)
            } catch {
                throw .unavailable(.none, "the replica cannot be copied: \(error)")
            }
            let hash = state.content.hash
            let header = SnapshotHeader(member: member, position: hash.position, hash: hash.value, format: format)
            let id = try answer { log.beginSnapshot(header, within: milliseconds, $0) }.get()
            let count = try putChunks(of: id)
            try answer { log.completeSnapshot(id, chunks: count, within: milliseconds, $0) }.get()
        }
    }

    private func putChunks(of id: SnapshotID) throws(LogError) -> UInt32 {
        guard let file = OpenFile(reading: folder + "/data.mdb") else {
            throw .unavailable(.none, "the copy of the replica cannot be read")
        }
        var (number, hash) = (UInt32(0), WordHash())
        while true {
            guard let bytes = file.read(SnapshotForm.chunkBytes) else {
                throw .unavailable(.none, "the copy of the replica cannot be read")
            }
            let chunk = bytes.isEmpty ? SnapshotForm.trailer(hash) : bytes
            hash.add(chunk[...])
            try answer { log.putChunk(chunk, number: number, of: id, within: milliseconds, $0) }.get()
            let (next, overflows) = number.addingReportingOverflow(1)
            guard !overflows else { throw .refused("the replica is too large for a snapshot") }
            number = next
            if bytes.isEmpty { return number }
        }
    }

    private func removeCopy() {
        for name in ["data.mdb", "lock.mdb"] { unlink("\(folder)/\(name)") }
        rmdir(folder)
    }
}

/// Fetches a snapshot and makes it ready for the next start. For a thread that may wait.
struct SnapshotDownload: Sendable {
    let snapshot: Snapshot
    let log: any SharedLog
    /// The name of the log.
    let name: UUIDBytes
    /// The name of the replica.
    let replica: UUIDBytes
    /// The data directory.
    let path: String
    let milliseconds: UInt64

    /// Fetches the snapshot, and checks its length, its hash, and that its database has the state that its header
    /// names.
    func run() -> Result<Void, LogError> {
        Result { () throws(LogError) in
            do throws(RegistryError) {
                let replacement = try ReplicaReplacement(of: path)
                try fetch(into: replacement.file)
                try replacement.adopt(snapshot.header, of: name, replica: replica)
                try replacement.complete()
            } catch {
                throw .unavailable(.none, "\(error)")
            }
        }
    }

    private func fetch(into path: String) throws(RegistryError) {
        guard snapshot.chunks > 0 else { throw .corrupted("the snapshot has no chunks") }
        guard let file = OpenFile(writing: path) else { throw .storageFailed("\(path) cannot be made") }
        var (bytes, hash) = (UInt64(0), WordHash())
        for number in 0..<snapshot.chunks {
            let result = answer { log.chunk(number, of: snapshot.id, within: milliseconds, $0) }
            guard case .success(let chunk) = result else {
                guard case .failure(let failure) = result else { return }
                throw .logUnavailable("\(failure)")
            }
            bytes += UInt64(chunk.count)
            if number == snapshot.chunks - 1 {
                guard chunk == SnapshotForm.trailer(hash), bytes == snapshot.bytes else {
                    throw .corrupted("the snapshot has other bytes than its node has stored")
                }
            } else {
                hash.add(chunk[...])
                guard file.write(chunk) else { throw .storageFailed("\(path) cannot be written") }
            }
        }
    }
}

/// Waits for the answer of a call of a log.
///
/// - Parameter call: makes the call with this completion.
private func answer<Answer: Sendable>(
    _ call: (@escaping LogCompletion<Answer>) -> Void
) -> Result<Answer, LogError> {
    let box = AnswerBox<Answer>()
    call { box.set($0) }
    return box.wait()
}

/// An answer that one thread sets and another waits for.
private final class AnswerBox<Answer: Sendable>: Sendable {
    private let found = Mutex<Result<Answer, LogError>?>(nil)
    private let isThere = DispatchSemaphore(value: 0)

    /// Sets the answer, and wakes the thread that waits.
    func set(_ result: Result<Answer, LogError>) {
        found.withLock { $0 = result }
        isThere.signal()
    }

    /// Waits for the answer.
    func wait() -> Result<Answer, LogError> {
        isThere.wait()
        return found.withLock { $0 } ?? .failure(.unavailable(.unknown, "there was no answer"))
    }
}

/// A file that is read or written from its beginning to its end.
private final class OpenFile {
    private let descriptor: CInt

    init?(reading path: String) {
        descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        if descriptor < 0 { return nil }
    }

    init?(writing path: String) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        if descriptor < 0 { return nil }
    }

    deinit { close(descriptor) }

    /// Returns the next bytes, fewer at the end of the file; nil if the system reports an error.
    func read(_ count: Int) -> [UInt8]? {
        var hasFailed = false
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let result = Glibc.read(descriptor, buffer.baseAddress! + filled, count - filled)
                if result < 0 && errno == EINTR { continue }
                hasFailed = result < 0
                guard result > 0 else { return }
                filled += result
            }
        }
        return hasFailed ? nil : bytes
    }

    /// Writes all bytes; returns false if the system reports an error.
    func write(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0 && errno == EINTR { continue }
            guard written > 0 else { return false }
            rest = rest.dropFirst(written)
        }
        return true
    }
}
