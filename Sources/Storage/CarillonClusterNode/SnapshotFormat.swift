import CarillonCluster
import CarillonCore

/// The format of a snapshot in the log: the file of a compacted copy in chunks of 1 MiB, then a chunk of 16 bytes with
/// the hash of the file.
enum SnapshotFormat {
    static let chunkBytes = SnapshotHeader.maximumChunkBytes

    /// Returns the chunk with the hash, which is the last one.
    static func trailer(_ hash: WordHash) -> [UInt8] {
        [hash.value.high, hash.value.low].flatMap { number in withUnsafeBytes(of: number.bigEndian) { Array($0) } }
    }
}
