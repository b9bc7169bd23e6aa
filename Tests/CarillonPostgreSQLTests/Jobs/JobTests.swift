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

    private static func describe<Answer>(_ step: Step<Answer>?) -> String {
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

    @Test(
        arguments: [
            (.changes([1]), nil, "lock_head place notify commit !"),
            (.left, nil, "lock_head place end_lease end_node notify commit !"),
            (.expired(victim), nil, "lock_head end_lease end_node place_expiry notify commit !"),
            (
                .expired(victim), Silence(renewals: 1, milliseconds: 9),
                "lock_head end_lease_if_silent end_node place_expiry notify commit !"
            ),
        ] as [(LogEntry.Content, Silence?, String)])
    func theBytesGoBeforeTheHeadIsLocked(content: LogEntry.Content, silence: Silence?, placement: String) throws {
        var job = AppendJob(Self.entry(content), silence: silence)
        #expect(Self.names(job.start(with: DatabaseFeatures(hasNotifications: true))) == ["begin", "store_body"])
        #expect(Self.describe(try job.answered([Rows(), Rows()])) == placement)
        // The same without notifications.
        _ = job.start(with: DatabaseFeatures())
        #expect(Self.describe(try job.answered([Rows(), Rows()])) == placement.replacing("notify ", with: ""))
    }

    @Test func thePlacementFitsIntoOneSegment() throws {
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

    @Test(
        arguments: [
            // incarnation, greatest sequence, over; what the append came to
            ([4, 6, 0, 0, 0], "fail refused: the node has renewed its lease"),
            ([4, 7, 0, 0, 0], "fail refused: the sequence of entry a/4#7 was used"),
            ([4, 6, 0, 0, 1], "fail refused: this incarnation of the node is over"),
            ([5, 1, 0, 0, 0], "fail refused: this incarnation of the node is over"),
        ] as [([Int64], String)])
    func anEntryWithoutAPositionIsAskedFor(node: [Int64], expected: String) throws {
        var job = AppendJob(Self.entry(.changes([1])))
        _ = job.start(with: DatabaseFeatures())
        _ = try job.answered([Rows(), Rows()])
        #expect(Self.describe(job.failed(Self.fault("23502"), in: SQL.place)) == "node")
        #expect(Self.describe(try job.answered([Rows([node.map { Value.int($0).encoded }])])) == expected)
    }

    @Test func anEntryThatIsThereAlreadyHasAnUnknownEnd() {
        var job = AppendJob(Self.entry(.changes([1])))
        _ = job.start(with: DatabaseFeatures())
        guard case .fail(.unavailable(.unknown, _)) = job.failed(Self.fault("23505"), in: SQL.storeBody) else {
            Issue.record("its end is not unknown")
            return
        }
        #expect(Self.describe(job.failed(Self.fault("40001"), in: SQL.place)) == "usual")
    }

    @Test(
        arguments: [
            // the node's row: incarnation, sequence, appended, position; the entry found; trimmed; the settlement
            ([4, 7, 7, 30], nil, 0, "finish appended(30)"), ([4, 7, 6, 29], nil, 0, "finish never"),
            ([4, 6, 6, 29], nil, 0, "finish never"), ([4, 9, 9, 31], 30, 0, "finish appended(30)"),
            ([5, 1, 1, 31], 30, 9, "finish appended(30)"), ([5, 1, 1, 31], nil, 9, "finish forgotten"),
            ([5, 1, 1, 31], nil, 0, "finish never"),
        ] as [([Int64], Int64?, Int64, String)])
    func whatBecameOfAnEntry(node: [Int64], found: Int64?, trimmed: Int64, expected: String) throws {
        var job = SettleJob(id: Self.entry(.joined).id)
        let pipeline = Self.names(job.start(with: DatabaseFeatures()))
        #expect(pipeline == ["begin", "lock_head", "node", "find_entry", "close_sequence", "commit", "!"])
        let rows = [
            Rows(), Rows([Self.row(31, trimmed, 5)]), Rows([node.map { Value.int($0).encoded }]),
            Rows(found.map { [Self.row($0)] } ?? []), Rows(), Rows(),
        ]
        #expect(Self.describe(try job.answered(rows)) == expected)
    }

    // MARK: Join

    @Test func theFirstNodeMakesTheTablesInOneTransaction() throws {
        let node = JoiningNode(name: Self.member.node, replica: .zero, address: "", format: 1, leaseMilliseconds: 10)
        var job = JoinJob(node, newLog: .zero)
        #expect(Self.names(job.start(with: DatabaseFeatures())) == ["identity"])
        let tables = "make_node make_progress make_entry make_body make_snapshot make_chunk make_head make_head_rows"
        #expect(Self.describe(job.failed(Self.fault("42P01"), in: SQL.identity)) == "begin \(tables) commit !")
        for state in ["42P07", "42710", "23505"] {
            #expect(Self.describe(job.failed(Self.fault(state), in: Schema.head)) == "again")
        }
        #expect(Self.describe(try job.answered([])) == "uncompressed_bodies uncompressed_chunks !")
        // A log database without this setting goes on without.
        #expect(Self.describe(job.failed(Self.fault("0A000"), in: SQL.node)) == "identity")
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
    func whatAFaultMeans(state: String, meaning: SQLFault.Meaning) {
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
    func theStateInAMessageOfLibpq(message: String, state: String?) {
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
