import CarillonCluster
import CarillonCore

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
