import CarillonCluster
import CarillonCore

/// The form of a snapshot in the log: the file of a compacted copy in chunks of 1 MiB, then a chunk with the hash of
/// these bytes, 16 bytes.
enum SnapshotForm {
    static let chunkBytes = SnapshotHeader.maximumChunkBytes

    /// The chunk with the hash, which is the last one.
    static func trailer(_ hash: WordHash) -> [UInt8] {
        [hash.value.high, hash.value.low].flatMap { number in withUnsafeBytes(of: number.bigEndian) { Array($0) } }
    }
}
