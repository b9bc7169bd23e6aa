import CarillonCluster
import CarillonCore
import Testing

@testable import CarillonPostgreSQL

/// The statements with which a node joins, and makes the tables if it is the first. ``JobTranscript`` explains their
/// form.
struct JoinJobTests {
    private static func joinJob() -> JoinJob {
        JoinJob(
            JoiningNode(
                name: JobTranscript.member.node, replicaID: .zero, address: "", format: 1, leaseMilliseconds: 10),
            newLog: .zero)
    }

    /// Returns a job whose log database had no tables, and the statements that make them.
    private static func joinJobWithoutTables() -> (job: JoinJob, statements: String) {
        var job = joinJob()
        _ = job.start(with: DatabaseFeatures())
        let statements = JobTranscript.text(of: job.failed(JobTranscript.fault("42P01"), in: SQL.identity))
        return (job, statements)
    }

    @Test func `the first node makes the tables in one transaction`() {
        let tables = "create_node create_progress create_entry create_body create_snapshot create_chunk create_head"
        #expect(Self.joinJobWithoutTables().statements == "committing: begin \(tables) insert_head_rows commit")
    }

    @Test(arguments: ["42P07", "42710", "23505"])
    func `tables that another node creates at the same time are tried again`(state: String) {
        var (job, _) = Self.joinJobWithoutTables()
        #expect(JobTranscript.text(of: job.failed(JobTranscript.fault(state), in: Schema.head)) == "again")
    }

    @Test func `a log database need not have the setting for compression`() throws {
        var (job, _) = Self.joinJobWithoutTables()
        #expect(JobTranscript.text(of: try job.answered([])) == "committing: uncompressed_bodies uncompressed_chunks")
        #expect(JobTranscript.text(of: job.failed(JobTranscript.fault("0A000"), in: SQL.node)) == "identity")
    }

    @Test func `a node joins behind the head`() throws {
        var job = Self.joinJob()
        #expect(JobTranscript.names(of: job.start(with: DatabaseFeatures())) == ["identity"])
        let version = Rows([[SQLValue.int(1).encoded, UUIDBytes.zero.bytes]])
        #expect(JobTranscript.text(of: try job.answered([version])) == "begin lock_head node progress")
        let head = Rows([JobTranscript.row(20, 0, 3) + [UUIDBytes.zero.bytes]])
        #expect(
            JobTranscript.text(of: try job.answered([Rows(), head, Rows(), Rows()]))
                == "committing: count_incarnation put_node put_progress store_body put_entry commit")
        let joined = JoinedNode(member: JobTranscript.member, position: 21, log: .zero)
        #expect(JobTranscript.text(of: try job.answered([])) == "finish \(joined)")
    }
}
