import CarillonCluster
import CarillonCore

/// The steps of a snapshot, and trimming. A step returns nil for success.
extension TestNode {
    func beginSnapshot(_ header: SnapshotHeader) async -> Result<SnapshotID, LogError> {
        await result { log.beginSnapshot(header, withinMilliseconds: Self.callMilliseconds, $0) }
    }

    func putChunk(_ bytes: [UInt8], number: UInt32, of id: SnapshotID) async -> LogError? {
        await fault {
            log.putSnapshotChunk(bytes, number: number, of: id, withinMilliseconds: Self.callMilliseconds, $0)
        }
    }

    func completeSnapshot(_ id: SnapshotID, chunks: UInt32) async -> LogError? {
        await fault { log.completeSnapshot(id, chunks: chunks, withinMilliseconds: Self.callMilliseconds, $0) }
    }

    func chunk(_ number: UInt32, of id: SnapshotID) async -> Result<[UInt8], LogError> {
        await result { log.snapshotChunk(number, of: id, withinMilliseconds: Self.callMilliseconds, $0) }
    }

    func trim(through position: LogPosition, snapshotsBefore snapshots: LogPosition = 0) async -> LogError? {
        await fault {
            log.trim(
                through: position, snapshotsBefore: snapshots, withinMilliseconds: Self.callMilliseconds, $0)
        }
    }

    /// Makes a call without an answer; returns its failure, or nil for success.
    private func fault(_ call: (@escaping LogCompletion<Void>) -> Void) async -> LogError? {
        switch await result(call) {
        case .success: nil
        case .failure(let failure): failure
        }
    }
}
