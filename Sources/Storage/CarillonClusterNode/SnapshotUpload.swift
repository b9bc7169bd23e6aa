import CarillonCluster
import CarillonCore
import CarillonRegistry
import Glibc

/// Makes a snapshot of the replica, and uploads it to the log. For a thread that may wait.
struct SnapshotUpload: Sendable {
    let registry: LMDBRegistry
    let log: any SharedLog
    let member: Member
    let format: UInt16
    /// The time for one call of the log, in milliseconds.
    let timeoutMilliseconds: UInt64

    private var folder: String { registry.path + "/snapshot" }

    /// Makes and stores the snapshot. The rest of an earlier upload that was not finished is removed.
    func run() -> Result<Void, LogError> {
        removeCopy()
        defer { removeCopy() }
        return Result { () throws(LogError) in
            let hash: RunningHash
            do throws(RegistryError) {
                try registry.copyReplica(to: folder)
                hash = try OfflineDatabase(at: folder).replicaRecord().state.applied
            } catch {
                throw .unavailable(.none, "the replica cannot be copied: \(error)")
            }
            let header = SnapshotHeader(member: member, position: hash.position, hash: hash.value, format: format)
            let id = try awaitAnswer { log.beginSnapshot(header, withinMilliseconds: timeoutMilliseconds, $0) }.get()
            let count = try putChunks(of: id)
            try awaitAnswer { log.completeSnapshot(id, chunks: count, withinMilliseconds: timeoutMilliseconds, $0) }
                .get()
        }
    }

    private func putChunks(of id: SnapshotID) throws(LogError) -> UInt32 {
        guard let file = OpenFile(reading: folder + "/data.mdb") else {
            throw .unavailable(.none, "the copy of the replica cannot be read")
        }
        var number = UInt32(0)
        var hash = WordHash()
        while true {
            guard let bytes = file.read(SnapshotFormat.chunkBytes) else {
                throw .unavailable(.none, "the copy of the replica cannot be read")
            }
            let chunk = bytes.isEmpty ? SnapshotFormat.trailer(hash) : bytes
            hash.add(chunk[...])
            try awaitAnswer {
                log.putSnapshotChunk(chunk, number: number, of: id, withinMilliseconds: timeoutMilliseconds, $0)
            }
            .get()
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

/// The format of a snapshot in the log: the file of a compacted copy in chunks of 1 MiB, then a chunk of 16 bytes with
/// the hash of the file.
enum SnapshotFormat {
    static let chunkBytes = SnapshotHeader.maximumChunkBytes

    /// Returns the chunk with the hash, which is the last one.
    static func trailer(_ hash: WordHash) -> [UInt8] {
        [hash.value.high, hash.value.low].flatMap { number in withUnsafeBytes(of: number.bigEndian) { Array($0) } }
    }
}
