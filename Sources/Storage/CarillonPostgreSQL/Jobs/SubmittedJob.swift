import CarillonCluster
import CarillonCore

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

    /// Returns the first pipeline of the job.
    func start(with features: DatabaseFeatures) -> Pipeline { job.start(with: features) }

    func answered(_ rows: [Rows]) -> QueueAction {
        do throws(LogError) {
            return carryOut(try job.answered(rows))
        } catch {
            return finish(.failure(error))
        }
    }

    func failed(_ fault: SQLFault, in call: Statement) -> QueueAction {
        job.failed(fault, in: call).map { carryOut($0) } ?? .unhandled
    }

    func fail(_ failure: LogError) { _ = finish(.failure(failure)) }

    private func carryOut(_ step: JobStep<J.Answer>) -> QueueAction {
        switch step {
        case .send(let pipeline): .send(pipeline)
        case .again: .again
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
