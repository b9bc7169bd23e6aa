import CarillonCluster
import CarillonCore

/// Reads the entries that follow a position.
struct ReadJob: Job {
    let position: LogPosition
    let limit: ReadLimit

    mutating func start(with features: DatabaseFeatures) -> Pipeline {
        // The head is read second. If the first read misses entries because they were trimmed before it, the head tells
        // so. A head that was read first might not know of them yet, and they would look like corruption.
        let calls = [
            SQL.read(
                .int(Int64(clamping: position.number)), .int(Int64(limit.entries)), .int(Int64(limit.bytes))),
            SQL.head(),
        ]
        return Pipeline.notCommitting(calls)
    }

    mutating func answered(_ rows: [Rows]) throws(LogError) -> JobStep<LogPage> {
        guard rows.count == 2 else { throw .corrupted("the log has no head") }
        let ends = try LogEnds(rows[1])
        guard let first = position.next else { return .finish(LogPage(first: position, entries: [], ends: ends)) }
        var expected = first
        var entries: [LogEntry] = []
        for index in 0..<rows[0].count {
            let row = rows[0].row(index)
            let found = try row.position(0)
            guard found == expected, let next = expected.next else {
                if ends.trimmed >= expected { throw .trimmed(through: ends.trimmed) }
                throw .corrupted("entry \(expected) is missing")
            }
            let bytes = try row.bytes(1)
            do throws(LogEntry.ParseError) {
                entries.append(try LogEntry(bytes))
            } catch {
                throw .corrupted("entry \(expected): \(error)")
            }
            expected = next
        }
        if entries.isEmpty {
            if ends.trimmed >= first { throw .trimmed(through: ends.trimmed) }
            if ends.head < position {
                throw .corrupted("the log ends at \(ends.head), and this node has had entry \(position)")
            }
        }
        return .finish(LogPage(first: first, entries: entries, ends: ends))
    }
}

extension LogEnds {
    /// Reads the ends from the row of the head.
    init(_ rows: Rows) throws(LogError) {
        guard rows.count == 1 else { throw .corrupted("the log has no head") }
        let row = rows.row(0)
        self.init(
            head: try row.position(SQL.HeadColumn.position), trimmed: try row.position(SQL.HeadColumn.trimmed))
    }
}

/// Reads the head of the log, and the entries that follow a position.
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
