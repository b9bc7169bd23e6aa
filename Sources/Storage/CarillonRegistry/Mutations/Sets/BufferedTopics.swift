import CarillonCore
import CarillonLMDB

/// The topics of answered changes whose rows of `memberships` are written later, in the order of the keys.
///
/// Devices subscribe in any order, and their rows are spread over the table. Writing a row at once costs a descent
/// through pages that are in no processor cache. Rows that are written together go from page to page.
///
/// The topics belong to the open transaction. Call `flush` before every commit, and before `memberships` is read.
final class BufferedTopics {
    private struct Row: Comparable {
        let app: AppNumber
        let topic: SetNumber
        let device: DeviceID

        /// Returns true if a row is before another one in `memberships`.
        @inline(__always)
        static func < (a: Self, b: Self) -> Bool {
            a.app != b.app ? a.app < b.app : a.device.rawValue < b.device.rawValue
        }
    }

    /// The number of rows, 2 MiB, after which they are written.
    private static let maximumRows = 131_072
    /// The number of rows that are written at once: some milliseconds.
    private static let rowsPerWrite = 4_096

    private let table: MembershipTable
    private var rows: [Row] = []
    /// The number of rows that are written; nil if the rows are not in order yet.
    private var writtenCount: Int?

    init(tables: Tables) { table = tables.memberships }

    var count: Int { rows.count }

    /// True if there are as many rows as there may be: they must be written before the next change.
    var isFull: Bool { rows.count >= Self.maximumRows }

    /// Adds a topic to which the device itself was not subscribed before.
    func add(_ topic: SetNumber, of device: DeviceID, app: AppNumber) {
        assert(writtenCount == nil)
        rows.append(Row(app: app, topic: topic, device: device))
    }

    /// Writes all rows.
    func flush(in transaction: inout WriteTransaction) throws {
        while try flushSome(in: &transaction) == .incomplete {}
    }

    /// Writes some rows. If more are left, none may be added before these are written.
    func flushSome(in transaction: inout WriteTransaction) throws -> Completeness {
        guard !rows.isEmpty else { return .complete }
        if writtenCount == nil { rows.sort() }
        var next = writtenCount ?? 0
        let end = next + Self.rowsPerWrite
        try transaction.withWriteCursor(in: table.database) { cursor in
            while next < rows.count, next < end {
                let app = rows[next].app
                let device = rows[next].device
                try table.extend(device, app: app, in: &cursor) { membership in
                    while next < rows.count, rows[next].device == device, rows[next].app == app {
                        _ = membership.topics.insertSorted(rows[next].topic)
                        next += 1
                    }
                }
            }
        }
        guard next == rows.count else {
            writtenCount = next
            return .incomplete
        }
        rows.removeAll(keepingCapacity: true)
        writtenCount = nil
        return .complete
    }

    /// Drops all rows, because the transaction was aborted.
    func transactionAborted() {
        rows = []
        writtenCount = nil
    }

    func releaseMemoryIfEmpty() {
        if rows.isEmpty { rows = [] }
    }
}
