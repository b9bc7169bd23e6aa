import CarillonCluster
import CarillonCore
import Testing

@testable import CarillonPostgreSQL

/// The statements that find out what became of an entry, and the meaning of their answers.
struct SettleJobTests {
    typealias NodeRow = JobTranscript.NodeRow

    /// The rows of the log database when the end of an entry is asked for, and the end.
    struct EndOfEntry: CustomTestStringConvertible {
        let node: NodeRow
        /// The position of the entry, if the log still has it.
        var found: Int64?
        /// The position up to which the log is trimmed.
        var trimmed: Int64 = 0
        let end: Settlement

        var testDescription: String { "\(end) by \(node)" }
    }

    @Test(
        arguments: [
            EndOfEntry(
                node: NodeRow(incarnation: 4, sequence: 7, appended: 7, position: 30), end: .appended(30)),
            EndOfEntry(
                node: NodeRow(incarnation: 4, sequence: 7, appended: 6, position: 29), end: .never),
            EndOfEntry(
                node: NodeRow(incarnation: 4, sequence: 6, appended: 6, position: 29), end: .never),
            EndOfEntry(
                node: NodeRow(incarnation: 4, sequence: 9, appended: 9, position: 31), found: 30,
                end: .appended(30)),
            EndOfEntry(
                node: NodeRow(incarnation: 5, sequence: 1, appended: 1, position: 31), found: 30,
                trimmed: 9,
                end: .appended(30)),
            EndOfEntry(
                node: NodeRow(incarnation: 5, sequence: 1, appended: 1, position: 31), trimmed: 9,
                end: .forgotten),
            EndOfEntry(
                node: NodeRow(incarnation: 5, sequence: 1, appended: 1, position: 31), end: .never),
        ])
    func `the end of an append follows from the rows of its entry`(_ entry: EndOfEntry) throws {
        var job = SettleJob(id: JobTranscript.entry(.joined).id)
        let pipeline = JobTranscript.names(of: job.start(with: DatabaseFeatures()))
        #expect(pipeline == ["committing:", "begin", "lock_head", "node", "find_entry", "close_sequence", "commit"])
        let rows = [
            Rows(), Rows([JobTranscript.row(31, entry.trimmed, 5)]), entry.node.rows,
            Rows(entry.found.map { [JobTranscript.row($0)] } ?? []), Rows(), Rows(),
        ]
        #expect(JobTranscript.text(of: try job.answered(rows)) == "finish \(entry.end)")
    }
}
