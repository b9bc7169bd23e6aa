import CarillonCluster

/// One call of the log, as a sequence of pipelines. A job is a decision, which the queue carries out. It can be started
/// again.
protocol Job: Sendable {
    associatedtype Answer: Sendable

    /// Returns the first pipeline, even when the job is made again from the start.
    mutating func start(with features: DatabaseFeatures) -> Pipeline

    /// Takes the answers of a pipeline whose calls have all succeeded, and returns the next step.
    mutating func answered(_ rows: [Rows]) throws(LogError) -> JobStep<Answer>

    /// Returns the next step after a statement has failed and the transaction is rolled back; nil if the fault has its
    /// usual meaning (`SQLFault.meaning`) for this job.
    mutating func failed(_ fault: SQLFault, in statement: Statement) -> JobStep<Answer>?
}

/// The next step of a job: it sends a pipeline, begins again, or is over.
enum JobStep<Answer: Sendable>: Sendable {
    case send(Pipeline)
    case finish(Answer)
    case fail(LogError)
    /// The job begins again from the start, after a delay.
    case startAgain
}

extension Job {
    mutating func failed(_ fault: SQLFault, in statement: Statement) -> JobStep<Answer>? { nil }
}

/// The features that some log databases have and others lack.
struct DatabaseFeatures: Hashable, Sendable {
    /// True if the database has LISTEN and NOTIFY.
    var hasNotifications = false
}
