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
    func failed(_ fault: SQLFault, in statement: Statement) -> QueueAction
    func fail(_ failure: LogError)
}

/// The next action of the queue after a step of a job. If the job was over, its completion has been called.
enum QueueAction {
    case send(Pipeline)
    /// The job is made again from the start, after a delay.
    case startAgain
    /// The completion was called.
    case finished
    /// The job does not handle the fault: the queue does what the fault means for any job.
    case unhandled
}

/// A submitted job of one kind, with its deadline and its completion.
final class SubmittedJob<J: Job>: PendingJob {
    let deadline: Uptime
    var repetitions = 0
    private var job: J
    private var completion: LogCompletion<J.Answer>?

    init(_ job: J, deadline: Uptime, completion: @escaping LogCompletion<J.Answer>) {
        self.job = job
        self.completion = completion
        self.deadline = deadline
    }

    func start(with features: DatabaseFeatures) -> Pipeline { job.start(with: features) }

    func answered(_ rows: [Rows]) -> QueueAction {
        do throws(LogError) {
            return carryOut(try job.answered(rows))
        } catch {
            return finish(.failure(error))
        }
    }

    func failed(_ fault: SQLFault, in statement: Statement) -> QueueAction {
        job.failed(fault, in: statement).map { carryOut($0) } ?? .unhandled
    }

    func fail(_ failure: LogError) { _ = finish(.failure(failure)) }

    private func carryOut(_ step: JobStep<J.Answer>) -> QueueAction {
        switch step {
        case .send(let pipeline): .send(pipeline)
        case .startAgain: .startAgain
        case .finish(let answer): finish(.success(answer))
        case .fail(let failure): finish(.failure(failure))
        }
    }

    private func finish(_ result: Result<J.Answer, LogError>) -> QueueAction {
        let completion = completion.take()
        completion?(result)
        return .finished
    }
}
