import CarillonCluster
import CarillonCore

/// A job with its deadline and its completion, of any answer.
protocol PendingJob: AnyObject {
    /// The latest time at which the job fails.
    var deadline: Uptime { get }
    /// The number of times that the job was made again.
    var repetitions: Int { get set }

    /// Returns the first pipeline, even when the job is made again.
    func start(with features: DatabaseFeatures) -> Pipeline
    /// Takes the answers of a pipeline whose calls have all succeeded, and returns what the queue does next.
    func answered(_ rows: [Rows]) -> QueueAction
    /// Returns what the queue does next after a call has failed and the transaction is rolled back.
    func failed(_ fault: SQLFault, in call: Statement) -> QueueAction
    /// Ends the job with a failure.
    func fail(_ failure: LogError)
}
