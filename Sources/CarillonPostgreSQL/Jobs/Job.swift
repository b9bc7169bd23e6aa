import CarillonCluster
import CarillonCore

/// One call of the log as a sequence of pipelines: a decision, which the queue carries out. It can be started again.
protocol Job: Sendable {
    associatedtype Answer: Sendable

    /// The first pipeline, also when the job is made again from the start.
    mutating func start(on engine: Engine) -> Pipeline

    /// All calls of the pipeline have succeeded.
    mutating func answered(_ rows: [Rows]) throws(LogFailure) -> Step<Answer>

    /// A call has failed, and the transaction is rolled back. Nil if the fault means what it usually means.
    mutating func failed(_ fault: SQLFault, in call: Statement) -> Step<Answer>?
}

/// What a job must know about the engine.
struct Engine: Hashable, Sendable {
    /// True if it has notifications.
    var hasNotifications = false
}

/// What a job does next.
enum Step<Answer: Sendable>: Sendable {
    case send(Pipeline)
    case finish(Answer)
    case fail(LogFailure)
    /// From the start, after a pause.
    case again
}

extension Job {
    mutating func failed(_ fault: SQLFault, in call: Statement) -> Step<Answer>? { nil }
}

/// A job with its deadline and its completion, of any answer.
class PendingJob {
    /// What a queue does next for a job.
    enum Next {
        case send(Pipeline)
        case again
        /// The completion was called.
        case finished
        /// The fault means what it usually means.
        case usual
    }

    let deadline: Uptime
    /// How often it was made again.
    var repetitions = 0

    init(deadline: Uptime) { self.deadline = deadline }

    func start(on engine: Engine) -> Pipeline { fatalError("a subclass has it") }
    func answered(_ rows: [Rows]) -> Next { fatalError("a subclass has it") }
    func failed(_ fault: SQLFault, in call: Statement) -> Next { fatalError("a subclass has it") }
    func fail(_ failure: LogFailure) { fatalError("a subclass has it") }
}

/// The job of one kind.
final class JobBox<J: Job>: PendingJob {
    private var job: J
    private var completion: LogCompletion<J.Answer>?

    init(_ job: J, deadline: Uptime, completion: @escaping LogCompletion<J.Answer>) {
        (self.job, self.completion) = (job, completion)
        super.init(deadline: deadline)
    }

    override func start(on engine: Engine) -> Pipeline { job.start(on: engine) }

    override func answered(_ rows: [Rows]) -> Next {
        do throws(LogFailure) {
            return carryOut(try job.answered(rows))
        } catch {
            return finish(.failure(error))
        }
    }

    override func failed(_ fault: SQLFault, in call: Statement) -> Next {
        job.failed(fault, in: call).map { carryOut($0) } ?? .usual
    }

    override func fail(_ failure: LogFailure) { _ = finish(.failure(failure)) }

    private func carryOut(_ step: Step<J.Answer>) -> Next {
        switch step {
        case .send(let pipeline): .send(pipeline)
        case .again: .again
        case .finish(let answer): finish(.success(answer))
        case .fail(let failure): finish(.failure(failure))
        }
    }

    private func finish(_ result: Result<J.Answer, LogFailure>) -> Next {
        let completion = completion.take()
        completion?(result)
        return .finished
    }
}
