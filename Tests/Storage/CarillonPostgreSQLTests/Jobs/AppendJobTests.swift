import CarillonCluster
import CarillonCore
import Testing

@testable import CarillonPostgreSQL

/// The statements that append an entry, and the meaning of their answers. ``JobTranscript`` explains their form.
struct AppendJobTests {
    typealias NodeRow = JobTranscript.NodeRow

    /// An entry, and the statements that give it its position after the head.
    struct Assignment: CustomTestStringConvertible {
        let content: LogEntry.Content
        var silence: RequiredSilence?
        let statements: String

        var testDescription: String { "\(content)\(silence.map { " after \($0)" } ?? "")" }
    }

    static let assignments = [
        Assignment(content: .changes([1]), statements: "committing: lock_head assign_position notify commit"),
        Assignment(
            content: .left, statements: "committing: lock_head assign_position end_lease end_node notify commit"),
        Assignment(
            content: .expired(JobTranscript.other),
            statements: "committing: lock_head end_lease end_node assign_expiry_position notify commit"),
        Assignment(
            content: .expired(JobTranscript.other), silence: RequiredSilence(renewals: 1, milliseconds: 9),
            statements: "committing: lock_head end_lease_if_silent end_node assign_expiry_position notify commit"),
    ]

    @Test(arguments: assignments)
    func `an append sends its bytes before it locks the head`(_ assignment: Assignment) throws {
        var job = AppendJob(JobTranscript.entry(assignment.content), silence: assignment.silence)
        #expect(
            JobTranscript.names(of: job.start(with: DatabaseFeatures(hasNotifications: true))) == [
                "begin", "store_body",
            ])
        #expect(JobTranscript.text(of: try job.answered([Rows(), Rows()])) == assignment.statements)
        // The same without notifications.
        _ = job.start(with: DatabaseFeatures())
        #expect(
            JobTranscript.text(of: try job.answered([Rows(), Rows()]))
                == assignment.statements.replacing("notify ", with: ""))
    }

    @Test(arguments: assignments)
    func `an append ends with the position that its statement answers`(_ assignment: Assignment) throws {
        var job = AppendJob(JobTranscript.entry(assignment.content), silence: assignment.silence)
        _ = job.start(with: DatabaseFeatures(hasNotifications: true))
        let step = try job.answered([Rows(), Rows()])
        let calls = try #require(JobTranscript.pipeline(of: step)).calls
        let answers = calls.map { call in
            switch call.statement.name {
            case SQL.lockHead.name: Rows([JobTranscript.row(40, 0, 4, 0)])
            case SQL.assignPosition.name, SQL.assignExpiryPosition.name: Rows([JobTranscript.row(41)])
            default: Rows()
            }
        }
        #expect(JobTranscript.text(of: try job.answered(answers)) == "finish 41")
        #expect(throws: LogError.corrupted("an entry has no position")) { try job.answered([]) }
    }

    /// A TCP segment of 1,220 bytes fits through every network with IPv6.
    @Test func `the pipeline that assigns a position fits into one segment`() throws {
        var job = AppendJob(JobTranscript.entry(.changes([UInt8](repeating: 0, count: 100_000))))
        _ = job.start(with: DatabaseFeatures(hasNotifications: true))
        let step = try job.answered([Rows(), Rows()])
        let pipeline = try #require(JobTranscript.pipeline(of: step))
        // Bind, Describe and Execute of prepared statements: names, values and less than 100 bytes each.
        let bytes = pipeline.calls.reduce(0) { sum, call in
            sum + 100 + call.statement.name.utf8.count + call.values.reduce(0) { $0 + 6 + $1.encoded.count }
        }
        #expect(bytes < 1_220)
    }

    /// The row of the node after an append without effect, and the reason of the refusal.
    struct Refusal: CustomTestStringConvertible {
        let node: NodeRow
        let reason: String

        var testDescription: String { reason }
    }

    @Test(
        arguments: [
            Refusal(node: NodeRow(incarnation: 4, sequence: 6), reason: "the node has renewed its lease"),
            Refusal(
                node: NodeRow(incarnation: 4, sequence: 7), reason: "the sequence of entry a/4#7 was used"
            ),
            Refusal(
                node: NodeRow(incarnation: 4, sequence: 6, isOver: true),
                reason: "this incarnation of the node is over"
            ),
            Refusal(
                node: NodeRow(incarnation: 5, sequence: 1), reason: "this incarnation of the node is over"
            ),
        ])
    func `an append without a position reads the reason from its node`(_ refusal: Refusal) throws {
        var job = AppendJob(JobTranscript.entry(.changes([1])))
        _ = job.start(with: DatabaseFeatures())
        _ = try job.answered([Rows(), Rows()])
        #expect(JobTranscript.text(of: job.failed(JobTranscript.fault("23502"), in: SQL.assignPosition)) == "node")
        #expect(JobTranscript.text(of: try job.answered([refusal.node.rows])) == "fail refused: \(refusal.reason)")
    }

    @Test func `an append of an entry that is in the log has an unknown end`() {
        var job = AppendJob(JobTranscript.entry(.changes([1])))
        _ = job.start(with: DatabaseFeatures())
        #expect(
            JobTranscript.text(of: job.failed(JobTranscript.fault("23505"), in: SQL.storeBody))
                == "fail unavailable, with an unknown effect: an earlier append of entry a/4#7 has arrived")
        #expect(JobTranscript.text(of: job.failed(JobTranscript.fault("40001"), in: SQL.assignPosition)) == "unhandled")
    }
}
