/// A sequence of calls that are sent together, without waiting for answers between them. If one fails, the calls after
/// it are not carried out.
struct Pipeline: Sendable {
    let calls: [StatementCall]
    /// True if the pipeline may make changes durable. Its effect is unknown if the connection is lost.
    let commits: Bool

    private init(_ calls: [StatementCall], commits: Bool) { (self.calls, self.commits) = (calls, commits) }

    /// Makes a pipeline of calls that make changes durable: a COMMIT, or statements that each are a transaction of
    /// their own.
    static func committing(_ calls: [StatementCall]) -> Pipeline { Pipeline(calls, commits: true) }

    /// Makes a pipeline of calls that change nothing, or only within a transaction that stays open.
    static func notCommitting(_ calls: [StatementCall]) -> Pipeline { Pipeline(calls, commits: false) }
}
