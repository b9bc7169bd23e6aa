import CarillonCluster
import CarillonCore

@testable import CarillonPostgreSQL

/// The words in which tests of jobs write what is sent to a log database, and what it answers. No log database is
/// needed.
///
/// `committing: lock_head assign_position commit` are the names of the statements of one pipeline, in order. The first
/// word is there if the pipeline may make changes durable (``Pipeline/commits``).
enum JobTranscript {
    static let member = Member(node: NodeName("a")!, incarnation: 4)
    /// A member of another node.
    static let other = Member(node: NodeName("b")!, incarnation: 3)

    /// Makes the entry `a/4#7`.
    static func entry(_ content: LogEntry.Content) -> LogEntry {
        LogEntry(id: LogEntry.ID(member: member, sequence: 7), format: 1, content: content)!
    }

    /// Makes a row of numbers. A nil is null.
    static func row(_ numbers: Int64?...) -> [[UInt8]?] { numbers.map { $0.map { SQLValue.int($0).encoded } } }

    /// The row that the log database has of the node a.
    struct NodeRow {
        let incarnation: Int64
        /// The greatest sequence that the node has used.
        let sequence: Int64
        /// The sequence of the entry that the node appended last.
        var appended: Int64 = 0
        /// The position of that entry.
        var position: Int64 = 0
        var isOver = false

        var rows: Rows { Rows([JobTranscript.row(incarnation, sequence, appended, position, isOver ? 1 : 0)]) }
    }

    static func names(of pipeline: Pipeline) -> [String] {
        (pipeline.commits ? ["committing:"] : []) + pipeline.calls.map(\.statement.name)
    }

    /// Returns what a step sends; nil if it sends nothing.
    static func pipeline<Answer>(of step: JobStep<Answer>?) -> Pipeline? {
        if case .send(let pipeline) = step { pipeline } else { nil }
    }

    static func text<Answer>(of step: JobStep<Answer>?) -> String {
        switch step {
        case .send(let pipeline): names(of: pipeline).joined(separator: " ")
        case .finish(let answer): "finish \(answer)"
        case .fail(let failure): "fail \(failure)"
        case .startAgain: "again"
        case nil: "unhandled"
        }
    }

    static func fault(_ state: String) -> SQLFault { SQLFault(state: state, message: "m") }
}
