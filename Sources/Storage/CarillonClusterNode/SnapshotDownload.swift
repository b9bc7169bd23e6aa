import CarillonCluster
import CarillonCore
import CarillonRegistry
import Glibc

/// Downloads a snapshot, and makes it ready for the next start. For a thread that may wait.
struct SnapshotDownload: Sendable {
    let snapshot: Snapshot
    let log: any SharedLog
    let logName: UUIDBytes
    /// The id of the data directory.
    let replicaID: UUIDBytes
    /// The path of the data directory.
    let path: String
    /// The time for one call of the log, in milliseconds.
    let timeoutMilliseconds: UInt64

    /// Fetches the snapshot, and checks its length, its hash, and that its database has the state that its header
    /// names.
    func run() -> Result<Void, LogError> {
        Result { () throws(LogError) in
            do throws(RegistryError) {
                let replacement = try ReplicaReplacement(of: path)
                try download(into: replacement.file)
                try replacement.adopt(snapshot.header, of: logName, replicaID: replicaID)
                try replacement.complete()
            } catch {
                throw .unavailable(.none, "\(error)")
            }
        }
    }

    private func download(into path: String) throws(RegistryError) {
        guard snapshot.chunks > 0 else { throw .corrupted("the snapshot has no chunks") }
        guard let file = OpenFile(writing: path) else { throw .storageFailed("\(path) cannot be made") }
        var bytes = UInt64(0)
        var hash = WordHash()
        for number in 0..<snapshot.chunks {
            let result = awaitAnswer {
                log.snapshotChunk(number, of: snapshot.id, withinMilliseconds: timeoutMilliseconds, $0)
            }
            let chunk: [UInt8]
            switch result {
            case .success(let found): chunk = found
            case .failure(let failure): throw .logUnavailable("\(failure)")
            }
            bytes += UInt64(chunk.count)
            if number == snapshot.chunks - 1 {
                guard chunk == SnapshotFormat.trailer(hash), bytes == snapshot.bytes else {
                    throw .corrupted("the snapshot has other bytes than its node has stored")
                }
            } else {
                hash.add(chunk[...])
                guard file.write(chunk) else { throw .storageFailed("\(path) cannot be written") }
            }
        }
    }
}
