import CarillonCluster
import CarillonClusterTestKit
import CarillonCore
import CarillonPostgreSQLTestKit
import Testing

@testable import CarillonPostgreSQL

/// The statements that are sent for each call of the log, and the meaning of their answers: transcripts without a log
/// database.
///
/// `lock_head place commit !`: the names of the statements of one pipeline, in order; `!` at the end says that the
/// pipeline commits.
struct JobTests {
    private static let member = Member(node: NodeName("a")!, incarnation: 4)
    private static let victim = Member(node: NodeName("b")!, incarnation: 3)

    private static func entry(_ content: LogEntry.Content) -> LogEntry {
        LogEntry(id: LogEntry.ID(member: member, sequence: 7), format: 1, content: content)!
    }

    /// Makes a row of numbers. A nil is null.
    private static func row(_ numbers: Int64?...) -> [[UInt8]?] { numbers.map { $0.map { Value.int($0).encoded } } }

    private static func names(_ pipeline: Pipeline) -> [String] {
        pipeline.calls.map(\.statement.name) + (pipeline.commits ? ["!"] : [])
    }

    private static func describe<Answer>(_ step: JobStep<Answer>?) -> String {
        switch step {
        case .send(let pipeline): names(pipeline).joined(separator: " ")
        case .finish(let answer): "finish \(answer)"
        case .fail(let failure): "fail \(failure)"
        case .again: "again"
        case nil: "usual"
        }
    }

    private static func fault(_ state: String) -> SQLFault { SQLFault(state: state, message: "m") }

    // MARK: Append

    /// An entry, and the statements that place it after the head.
    struct Placement: CustomTestStringConvertible {
        let content: LogEntry.Content
        var silence: Silence?
        let statements: String

        var testDescription: String { "\(content)\(silence.map { " after \($0)" } ?? "")" }
    }

    @Test(
        arguments: [
            Placement(content: .changes([1]), statements: "lock_head place notify commit !"),
            Placement(content: .left, statements: "lock_head place end_lease end_node notify commit !"),
            Placement(
                content: .expired(victim), statements: "lock_head end_lease end_node place_expiry notify commit !"),
            Placement(
                content: .expired(victim), silence: Silence(renewals: 1, milliseconds: 9),
                statements: "lock_head end_lease_if_silent end_node place_expiry notify commit !"),
        ])
    func anAppendSendsItsBytesBeforeItLocksTheHead(_ placement: Placement) throws {
        var job = AppendJob(Self.entry(placement.content), silence: placement.silence)
        #expect(Self.names(job.start(with: DatabaseFeatures(hasNotifications: true))) == ["begin", "store_body"])
        #expect(Self.describe(try job.answered([Rows(), Rows()])) == placement.statements)
        // The same without notifications.
        _ = job.start(with: DatabaseFeatures())
        #expect(
            Self.describe(try job.answered([Rows(), Rows()])) == placement.statements.replacing("notify ", with: ""))
    }

    @Test func theQueryThatPlacesAnEntryFitsIntoOneSegment() throws {
        var job = AppendJob(Self.entry(.changes([UInt8](repeating: 0, count: 100_000))))
        _ = job.start(with: DatabaseFeatures(hasNotifications: true))
        guard case .send(let pipeline) = try job.answered([Rows(), Rows()]) else {
            Issue.record("nothing is sent")
            return
        }
        // Bind, Describe and Execute of prepared statements: names, values and less than 100 bytes each.
        let bytes = pipeline.calls.reduce(0) { sum, call in
            sum + 100 + call.statement.name.utf8.count + call.values.reduce(0) { $0 + 6 + $1.encoded.count }
        }
        #expect(bytes < 1_220)
    }

    /// The row that the log database has of the node.
    struct NodeRow {
        let incarnation: Int64
        /// The greatest sequence that the node has used.
        let sequence: Int64
        /// The sequence of the entry that the node appended last.
        var appended: Int64 = 0
        /// The position of that entry.
        var position: Int64 = 0
        var isOver = false

        var rows: Rows { Rows([JobTests.row(incarnation, sequence, appended, position, isOver ? 1 : 0)]) }
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
            Refusal(node: NodeRow(incarnation: 4, sequence: 7), reason: "the sequence of entry a/4#7 was used"),
            Refusal(
                node: NodeRow(incarnation: 4, sequence: 6, isOver: true), reason: "this incarnation of the node is over"
            ),
            Refusal(node: NodeRow(incarnation: 5, sequence: 1), reason: "this incarnation of the node is over"),
        ])
    func anAppendThatCannotBePlacedReadsTheReasonFromItsNode(_ refusal: Refusal) throws {
        var job = AppendJob(Self.entry(.changes([1])))
        _ = job.start(with: DatabaseFeatures())
        _ = try job.answered([Rows(), Rows()])
        #expect(Self.describe(job.failed(Self.fault("23502"), in: SQL.place)) == "node")
        #expect(Self.describe(try job.answered([refusal.node.rows])) == "fail refused: \(refusal.reason)")
    }

    @Test func anAppendOfAnEntryThatIsInTheLogHasAnUnknownEnd() {
        var job = AppendJob(Self.entry(.changes([1])))
        _ = job.start(with: DatabaseFeatures())
        guard case .fail(.unavailable(.unknown, _)) = job.failed(Self.fault("23505"), in: SQL.storeBody) else {
            Issue.record("its end is not unknown")
            return
        }
        #expect(Self.describe(job.failed(Self.fault("40001"), in: SQL.place)) == "usual")
    }

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
            EndOfEntry(node: NodeRow(incarnation: 4, sequence: 7, appended: 7, position: 30), end: .appended(30)),
            EndOfEntry(node: NodeRow(incarnation: 4, sequence: 7, appended: 6, position: 29), end: .never),
            EndOfEntry(node: NodeRow(incarnation: 4, sequence: 6, appended: 6, position: 29), end: .never),
            EndOfEntry(
                node: NodeRow(incarnation: 4, sequence: 9, appended: 9, position: 31), found: 30, end: .appended(30)),
            EndOfEntry(
                node: NodeRow(incarnation: 5, sequence: 1, appended: 1, position: 31), found: 30, trimmed: 9,
                end: .appended(30)),
            EndOfEntry(
                node: NodeRow(incarnation: 5, sequence: 1, appended: 1, position: 31), trimmed: 9, end: .forgotten),
            EndOfEntry(node: NodeRow(incarnation: 5, sequence: 1, appended: 1, position: 31), end: .never),
        ])
    func theEndOfAnAppendFollowsFromTheRowsOfItsEntry(_ entry: EndOfEntry) throws {
        var job = SettleJob(id: Self.entry(.joined).id)
        let pipeline = Self.names(job.start(with: DatabaseFeatures()))
        #expect(pipeline == ["begin", "lock_head", "node", "find_entry", "close_sequence", "commit", "!"])
        let rows = [
            Rows(), Rows([Self.row(31, entry.trimmed, 5)]), entry.node.rows,
            Rows(entry.found.map { [Self.row($0)] } ?? []), Rows(), Rows(),
        ]
        #expect(Self.describe(try job.answered(rows)) == "finish \(entry.end)")
    }

    // MARK: Join

    private static func joinJob() -> JoinJob {
        JoinJob(
            JoiningNode(name: member.node, replica: .zero, address: "", format: 1, leaseMilliseconds: 10),
            newLog: .zero)
    }

    /// Returns a job whose log database had no tables, and the statements that make them.
    private static func joinJobWithoutTables() -> (job: JoinJob, statements: String) {
        var job = joinJob()
        _ = job.start(with: DatabaseFeatures())
        let statements = describe(job.failed(fault("42P01"), in: SQL.identity))
        return (job, statements)
    }

    @Test func theFirstNodeMakesTheTablesInOneTransaction() {
        let tables = "make_node make_progress make_entry make_body make_snapshot make_chunk make_head make_head_rows"
        #expect(Self.joinJobWithoutTables().statements == "begin \(tables) commit !")
    }

    @Test(arguments: ["42P07", "42710", "23505"])
    func tablesThatAnotherNodeMakesAtTheSameTimeAreTriedAgain(state: String) {
        var (job, _) = Self.joinJobWithoutTables()
        #expect(Self.describe(job.failed(Self.fault(state), in: Schema.head)) == "again")
    }

    @Test func aLogDatabaseWithoutTheSettingForCompressionIsUsedWithoutIt() throws {
        var (job, _) = Self.joinJobWithoutTables()
        #expect(Self.describe(try job.answered([])) == "uncompressed_bodies uncompressed_chunks !")
        #expect(Self.describe(job.failed(Self.fault("0A000"), in: SQL.node)) == "identity")
    }

    @Test func aNodeJoinsBehindTheHead() throws {
        var job = Self.joinJob()
        #expect(Self.names(job.start(with: DatabaseFeatures())) == ["identity"])
        let version = Rows([[Value.int(1).encoded, UUIDBytes.zero.bytes]])
        #expect(Self.describe(try job.answered([version])) == "begin lock_head node progress")
        let head = Rows([Self.row(20, 0, 3) + [UUIDBytes.zero.bytes]])
        #expect(
            Self.describe(try job.answered([Rows(), head, Rows(), Rows()]))
                == "count_incarnation put_node put_progress store_body put_entry commit !")
        guard case .finish(let membership) = try job.answered([]) else {
            Issue.record("it has not joined")
            return
        }
        #expect(membership == JoinedNode(member: Self.member, position: 21, log: .zero))
    }

    // MARK: Faults

    @Test(
        arguments: [
            ("40001", .again), ("40P01", .again), ("40003", .unknown), ("08007", .unknown), ("55P03", .unavailable),
            ("53100", .unavailable), ("53300", .unavailable), ("57014", .unavailable), ("XX000", .unavailable),
            ("25006", .reconnect), ("57P01", .reconnect), ("08006", .reconnect), ("26000", .reconnect),
            ("", .reconnect),
            ("42P01", .refused), ("42501", .refused), ("28P01", .refused), ("0A000", .refused), ("22001", .refused),
        ] as [(String, SQLFault.Meaning)])
    func theSQLStateOfAFaultDecidesTheError(state: String, meaning: SQLFault.Meaning) {
        let fault = Self.fault(state)
        #expect(fault.meaning == meaning)
        #expect(fault.failure.isTransient == (meaning != .refused))
        #expect(fault.failure.effect == (meaning == .unknown ? .unknown : .none))
    }

    @Test(
        arguments: [
            (
                "connection to server at \"127.0.0.1\", port 54321 failed: FATAL:  28P01: password authentication "
                    + "failed",
                "28P01"
            ),
            ("connection to server at \"::1\", port 1 failed: FATAL:  3D000: database \"x\" does not exist", "3D000"),
            ("could not translate host name \"HOST1\" to address: Name or service not known", nil),
            ("connection to server at \"127.0.0.1\", port 1 failed: Connection refused", nil),
        ] as [(String, String?)])
    func theSQLStateIsReadFromAMessageOfLibpq(message: String, state: String?) {
        #expect(SQLFault.state(inVerbose: message) == state)
    }

    // MARK: Rows

    @Test func rowsOfAnyBytesAreReadOrRefused() throws {
        let row = Rows([[[1], [0xFF, 0xFF], [0, 0, 0, 9], Value.int(-1).encoded, [1, 2, 3], nil, [0xFF]]]).row(0)
        #expect(try (0...3).map { try row.int($0) } == [1, -1, 9, -1])
        for column in [3, 4, 5, 7] { #expect(throws: LogError.self) { _ = try row.unsigned(column) } }
        #expect(throws: LogError.self) { _ = try row.text(6) }
        #expect(throws: LogError.self) { _ = try row.uuid(0) }
        #expect(throws: LogError.self) { _ = try row.member(0) }
        #expect(throws: LogError.self) { _ = try Rows().row(3).int(0) }
        #expect(throws: LogError.self) { _ = try row.narrow(3, as: UInt16.self) }
    }
}
