import CarillonCluster
import CarillonCore

/// A job that reads the head of the log, and the entries that follow a position.
///
/// If the entries cannot be read, the answer has none. The node reads them then, and is told why they cannot be read.
struct PollJob: Job {
    private var read: ReadJob

    init(position: LogPosition) { read = ReadJob(position: position, limit: ReadLimit()) }

    mutating func start(with features: DatabaseFeatures) -> Pipeline { read.start(with: features) }

    mutating func answered(_ rows: [Rows]) throws(LogError) -> JobStep<LogPage> {
        // Why try?: without the entries, the head is the answer. The node then reads the entries, and gets the error.
        if let step = try? read.answered(rows) { return step }
        guard let last = rows.last else { throw .corrupted("the log has no head") }
        return .finish(LogPage(ends: try LogEnds(last)))
    }
}
