import CarillonCluster

/// One call of the log as a sequence of pipelines: a decision, which the queue carries out. It can be started again.
protocol Job: Sendable {
    associatedtype Answer: Sendable

    /// The first pipeline, even when the job is made again from the start.
    mutating func start(with features: DatabaseFeatures) -> Pipeline

    /// All calls of the pipeline have succeeded.
    mutating func answered(_ rows: [Rows]) throws(LogError) -> Step<Answer>

    /// A call has failed, and the transaction is rolled back. Nil if the fault means what it usually means.
    mutating func failed(_ fault: SQLFault, in call: Statement) -> Step<Answer>?
}

/// What the database of the log can do, as far as it differs from one to the other.
struct DatabaseFeatures: Hashable, Sendable {
    /// True if it has LISTEN and NOTIFY.
    var hasNotifications = false
}

/// What a job does next.
enum Step<Answer: Sendable>: Sendable {
    case send(Pipeline)
    case finish(Answer)
    case fail(LogError)
    /// Begins again from the start, after a pause.
    case again
}

extension Job {
    mutating func failed(_ fault: SQLFault, in call: Statement) -> Step<Answer>? { nil }
}

/// What a queue does next for a job.
enum NextStep {
    case send(Pipeline)
    /// Makes the job again from the start, after a pause.
    case again
    /// The completion was called.
    case finished
    /// Does what the fault usually means.
    case usual
}
