import CarillonCluster
import CarillonCore

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
    /// From the start, after a pause.
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

/// A job with its deadline and its completion, of any answer.
protocol PendingJob: AnyObject {
    /// The job fails at this time at the latest.
    var deadline: Uptime { get }
    /// How often the job was made again.
    var repetitions: Int { get set }

    /// Returns the first pipeline, even when the job is made again.
    func start(with features: DatabaseFeatures) -> Pipeline
    /// All calls of the pipeline have succeeded.
    func answered(_ rows: [Rows]) -> NextStep
    /// A call has failed, and the transaction is rolled back.
    func failed(_ fault: SQLFault, in call: Statement) -> NextStep
    /// Ends the job with a failure.
    func fail(_ failure: LogError)
}

/// A pending job of one kind.
final class JobBox<J: Job>: PendingJob {
    let deadline: Uptime
    var repetitions = 0
    private var job: J
    private var completion: LogCompletion<J.Answer>?

    init(_ job: J, deadline: Uptime, completion: @escaping LogCompletion<J.Answer>) {
        self.job = job
        self.completion = completion
        self.deadline = deadline
    }

    /// The first pipeline of the job.
    func start(with features: DatabaseFeatures) -> Pipeline { job.start(with: features) }

    func answered(_ rows: [Rows]) -> NextStep {
        do throws(LogError) {
            return carryOut(try job.answered(rows))
        } catch {
            return finish(.failure(error))
        }
    }

    func failed(_ fault: SQLFault, in call: Statement) -> NextStep {
        job.failed(fault, in: call).map { carryOut($0) } ?? .usual
    }

    func fail(_ failure: LogError) { _ = finish(.failure(failure)) }

    private func carryOut(_ step: Step<J.Answer>) -> NextStep {
        switch step {
        case .send(let pipeline): .send(pipeline)
        case .again: .again
        case .finish(let answer): finish(.success(answer))
        case .fail(let failure): finish(.failure(failure))
        }
    }

    private func finish(_ result: Result<J.Answer, LogError>) -> NextStep {
        let completion = completion.take()
        completion?(result)
        return .finished
    }
}
