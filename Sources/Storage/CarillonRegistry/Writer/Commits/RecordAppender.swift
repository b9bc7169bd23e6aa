import CarillonCore
import CarillonWire

/// Appends the records of batches to the write-ahead log: on a helper thread while the writer applies the batch before,
/// or at once.
///
/// It belongs to the writer thread.
final class RecordAppender {
    /// The log, which belongs to the helper thread while ``isUnderWay``.
    let wal: WriteAheadLog
    private let syncer: CommitSyncer
    /// The changes of a record, encoded in the same memory each time.
    private var frames = FrameWriter()
    /// The helper thread that appends records while the writer goes on; nil without a log, and before the writer runs.
    private(set) var thread: HelperThread<[UInt8], WriteAheadLog.AppendResult>?

    /// Makes an appender without a helper thread.
    ///
    /// - Parameter syncer: the syncer, which is told of each record and knows the number of the newest durable commit.
    init(_ wal: WriteAheadLog, syncer: CommitSyncer) {
        self.wal = wal
        self.syncer = syncer
    }

    func start(_ queue: WriteQueue) throws(RegistryError) {
        let wal = wal
        thread = try HelperThread(named: "log", .append, of: queue) { frames in
            Result { () throws(RegistryError) in try wal.append(frames) }
        }
    }

    /// Ends the helper thread, if it was started.
    func stop() { thread?.stop() }

    /// True while a record is being appended by the helper thread.
    var isUnderWay: Bool { thread?.isUnderWay ?? false }

    /// Encodes the changes of the admitted submissions of a batch, for the next record.
    ///
    /// - Returns: false if a record has no room for them.
    func tryToEncode(_ batch: WriteBatch) -> Bool {
        frames.removeAll()
        let submissions = batch.submissions.span
        for index in batch.admitted { ChangeRecordCodec.append(submissions[index].mutation, to: &frames) }
        return WALRecord.fits(frames.bytes)
    }

    /// Begins to append a record of the encoded changes on the helper thread, which is ``thread``.
    func begin(on thread: HelperThread<[UInt8], WriteAheadLog.AppendResult>) {
        wal.durableCommit = syncer.recordBegan()
        thread.begin(frames.bytes)
    }

    /// Waits for the record that was begun.
    ///
    /// - Returns: as ``WriteAheadLog/append(_:)``; `appended` if no record was begun.
    /// - Throws: as ``WriteAheadLog/append(_:)``.
    func endAppend() throws(RegistryError) -> WriteAheadLog.AppendResult {
        guard let thread, thread.isUnderWay else { return .appended }
        let result = try thread.takeOutput()
        syncer.recordAppended()
        return result
    }

    /// Waits for the record that was begun, if any, and ignores the result.
    func waitIfUnderWay() { thread?.waitIfUnderWay() }

    /// Appends a record of the encoded changes, and waits until it is on the disk; as ``WriteAheadLog/append(_:)``.
    func append() throws(RegistryError) -> WriteAheadLog.AppendResult {
        wal.durableCommit = syncer.recordBegan()
        let result = try wal.append(frames.bytes)
        syncer.recordAppended()
        return result
    }
}
