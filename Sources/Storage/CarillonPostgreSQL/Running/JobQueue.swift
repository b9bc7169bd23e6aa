import CarillonCluster
import CarillonCore
import DequeModule
import Glibc

/// A connection to the log database and the jobs that wait for it, which are carried out one after the other. The queue
/// lives on the thread of the log.
///
/// A job fails with its deadline at the latest. A connection on which a job had no end is closed: it is not known what
/// is still on its way on it.
final class JobQueue {
    /// The most jobs that wait. More are refused.
    static let maximumJobs = 64
    /// The delay after the first attempt to connect that failed. Each further failure doubles it, up to the maximum.
    private static let minimumDelayMilliseconds: UInt64 = 20
    /// The longest delay between two attempts to connect.
    private static let maximumDelayMilliseconds: UInt64 = 1_000
    /// The longest delay before a job is repeated. The delay is drawn at random: at most 2 ms before the first
    /// repetition, at most twice as much before each further one, and never above this maximum.
    private static let maximumRepetitionDelayMilliseconds: UInt64 = 100
    /// The highest exponent of two in the computation of a delay. A higher one would be beyond both maxima.
    private static let maximumExponent = 16
    /// The milliseconds for the log database to roll a transaction back. The connection is closed after them.
    private static let rollbackMilliseconds: UInt64 = 2_000

    /// The closures that the queue calls when it needs something of its log.
    struct Callbacks {
        /// Connects on a thread of its own, and calls ``JobQueue/connected(_:attempt:at:)``.
        var connect: (_ purpose: PostgreSQLConnector.Purpose, _ attempt: UInt64) -> Void
        /// Takes notifications, with the numbers of the sessions that have sent them.
        var notified: ([Int32]) -> Void
    }

    /// The state of the one connection.
    private enum ConnectionState {
        /// There is no connection. The next one is made at that time at the earliest. Leads to `connecting`.
        case none(retryAt: Uptime)
        /// The connection is being made. Leads to `ready` or `none`.
        case connecting
        /// The connection carries jobs. Leads to `none` when it ends.
        case ready(PostgreSQLConnector.Session)
    }

    /// A pipeline of a job, on the connection that carries it.
    private struct Exchange {
        let job: any PendingJob
        let pipeline: Pipeline
        let connection: PostgreSQLConnection

        /// Fails the job because its answer is not known: a change may have become durable.
        func fail(_ reason: String) { job.fail(.unavailable(pipeline.commits ? .unknown : .none, reason)) }
    }

    /// The phase of the job in front.
    private enum Phase {
        /// No job has begun.
        case none
        /// A pipeline of the job was sent, and its answer is awaited.
        case sent(any PendingJob, Pipeline)
        /// A transaction is rolled back. The next pipeline of a job follows, or the job from the start.
        case rollingBack((any PendingJob)?, then: Pipeline?, until: Uptime)
        /// A job waits until it is made again.
        case delayed(any PendingJob, until: Uptime)
    }

    let purpose: PostgreSQLConnector.Purpose
    private let callbacks: Callbacks
    private var state = ConnectionState.none(retryAt: 0)
    private var attempt: UInt64 = 0
    private var failedAttempts = 0
    /// The reason why there is no connection, for jobs whose time is over.
    private var lastFailure = "no connection was made yet"
    private var queue: Deque<any PendingJob> = []
    private var phase = Phase.none

    init(for purpose: PostgreSQLConnector.Purpose, callbacks: Callbacks) {
        self.purpose = purpose
        self.callbacks = callbacks
    }

    /// The session; nil if there is no connection.
    var session: PostgreSQLConnector.Session? { if case .ready(let session) = state { session } else { nil } }

    /// The socket to wait for, with the events; nil if there is no connection.
    var descriptor: pollfd? {
        guard let session else { return nil }
        let events = session.connection.hasOutput ? POLLIN | POLLOUT : POLLIN
        return pollfd(fd: session.connection.socket, events: Int16(events), revents: 0)
    }

    // MARK: Events

    /// Appends a job to the queue. If too many jobs wait, it fails at once, without effect.
    func submit(_ job: any PendingJob) {
        guard queue.count < Self.maximumJobs else {
            return job.fail(.unavailable(.none, "\(Self.maximumJobs) calls wait for the log database already"))
        }
        queue.append(job)
    }

    /// Sends and receives on the socket, which is ready.
    func ready(at now: Uptime) {
        guard let session else { return }
        if session.connection.hasOutput, !session.connection.flush() {
            return connectionLost("the connection was lost", at: now)
        }
        switch session.connection.receive() {
        case .waiting: break
        case .broken(let reason): return connectionLost(reason, at: now)
        case .answered(let results): answered(results, on: session.connection, at: now)
        }
        let notifiers = session.connection.takeNotifications()
        if !notifiers.isEmpty { callbacks.notified(notifiers) }
    }

    /// Takes over a connection that was made, or the reason why it was not.
    func connected(_ result: Result<PostgreSQLConnector.Session, LogError>, attempt: UInt64, at now: Uptime) {
        guard attempt == self.attempt, case .connecting = state else { return }
        switch result {
        case .success(let session):
            failedAttempts = 0
            state = .ready(session)
        case .failure(let failure):
            disconnect(failure.description, at: now)
            guard !failure.isTransient else { return }
            // Waiting would not help: an operator must act.
            for job in takeJobs() { job.fail(failure) }
        }
    }

    /// Does everything that is due at this time.
    func advance(at now: Uptime) {
        expire(at: now)
        if case .none(let retryAt) = state, now >= retryAt, !queue.isEmpty || isBusy {
            attempt += 1
            state = .connecting
            callbacks.connect(purpose, attempt)
        }
        guard let session else { return }
        switch phase {
        case .none:
            guard let job = queue.popFirst() else { return }
            send(job.start(with: session.features), of: job, on: session.connection, at: now)
        case .delayed(let job, let until) where now >= until:
            send(job.start(with: session.features), of: job, on: session.connection, at: now)
        case .delayed, .sent, .rollingBack: break
        }
    }

    /// The time at which the next job, delay or attempt to connect is due; nil if the queue waits for no time.
    var nextEvent: Uptime? {
        var times = queue.map(\.deadline)
        switch phase {
        case .sent(let job, _): times.append(job.deadline)
        case .rollingBack(_, _, let until): times.append(until)
        // Without a connection nothing happens when the delay is over.
        case .delayed(let job, let until): times.append(session == nil ? job.deadline : min(until, job.deadline))
        case .none: break
        }
        if case .none(let retryAt) = state, !queue.isEmpty || isBusy { times.append(retryAt) }
        return times.min()
    }

    /// Fails all jobs, for good.
    func close() {
        for job in takeJobs() { job.fail(.unavailable(.none, "the log is closed")) }
        if case .sent(let job, let pipeline) = phase {
            job.fail(.unavailable(pipeline.commits ? .unknown : .none, "the log is closed"))
        }
        phase = .none
        state = .none(retryAt: .max)
    }

    // MARK: Jobs

    private var isBusy: Bool { if case .none = phase { false } else { true } }

    /// True if no job has begun, and none waits.
    var isIdle: Bool { queue.isEmpty && !isBusy }

    /// Removes and returns the jobs that have not sent anything that may change the log.
    private func takeJobs() -> [any PendingJob] {
        // Not Array(queue): of an empty deque it writes to the storage of the empty array, which all threads share.
        var jobs = queue.map { $0 }
        queue.removeAll()
        switch phase {
        case .delayed(let job, _): jobs.append(job)
        case .rollingBack(let job, _, _): if let job { jobs.append(job) }
        case .none, .sent: return jobs
        }
        phase = .none
        return jobs
    }

    /// Fails the jobs whose time is over.
    private func expire(at now: Uptime) {
        let late = queue.filter { $0.deadline <= now }
        if !late.isEmpty { queue.removeAll { $0.deadline <= now } }
        let reason = session == nil ? lastFailure : "the log database is slow"
        for job in late { job.fail(.unavailable(.none, reason)) }
        switch phase {
        case .sent(let job, let pipeline) where job.deadline <= now:
            phase = .none
            disconnect("the log database did not answer in time", at: now)
            job.fail(.unavailable(pipeline.commits ? .unknown : .none, "the log database did not answer in time"))
        case .delayed(let job, _) where job.deadline <= now:
            phase = .none
            job.fail(.unavailable(.none, reason))
        case .rollingBack(_, _, let until) where until <= now:
            connectionLost("the log database did not answer in time", at: now)
            expire(at: now)
        case .none, .sent, .delayed, .rollingBack: break
        }
    }

    private func send(
        _ pipeline: Pipeline, of job: any PendingJob, on connection: PostgreSQLConnection, at now: Uptime
    ) {
        phase = .sent(job, pipeline)
        if !connection.send(pipeline) { connectionLost("the connection was lost", at: now) }
    }

    private func answered(
        _ results: [PostgreSQLConnection.StatementResult], on connection: PostgreSQLConnection, at now: Uptime
    ) {
        switch phase {
        case .sent(let job, let pipeline):
            phase = .none
            judge(results, of: Exchange(job: job, pipeline: pipeline, connection: connection), at: now)
        case .rollingBack(let job, let next, _):
            phase = .none
            if let job, let next {
                send(next, of: job, on: connection, at: now)
            } else if let job {
                repeatLater(job, at: now)
            }
        case .none, .delayed: break
        }
    }

    private func judge(_ results: [PostgreSQLConnection.StatementResult], of exchange: Exchange, at now: Uptime) {
        let job = exchange.job
        let pipeline = exchange.pipeline
        var rows: [Rows] = []
        for result in results {
            switch result {
            case .rows(let found): rows.append(found)
            case .skipped: break
            case .failed(let fault):
                let index = min(rows.count, pipeline.calls.count - 1)
                return judgeFault(fault, in: pipeline.calls[index].statement, of: exchange, at: now)
            }
        }
        guard rows.count == pipeline.calls.count else {
            disconnect("the log database skipped a call", at: now)
            return exchange.fail("the log database skipped a call")
        }
        if pipeline.commits, exchange.connection.hasWarning {
            return job.fail(.unavailable(.unknown, "the log database does not say that a standby has the change"))
        }
        carryOut(job.answered(rows), of: exchange, at: now)
    }

    private func judgeFault(_ fault: SQLFault, in statement: Statement, of exchange: Exchange, at now: Uptime) {
        let job = exchange.job
        let pipeline = exchange.pipeline
        let action = job.failed(fault, in: statement)
        if case .unhandled = action {
            switch fault.meaning {
            case .rolledBack: return carryOut(.startAgain, of: exchange, at: now)
            case .unavailable, .refused: job.fail(fault.failure)
            case .reconnect:
                disconnect(fault.message, at: now)
                // The log database may have carried out the COMMIT before the session ended. A pipeline without COMMIT
                // commits each statement by itself, so that it may have carried out any of them.
                let hasCommit = pipeline.calls.contains { $0.statement.name == SQL.commit.name }
                let isUnknown = pipeline.commits && (!hasCommit || statement.name == SQL.commit.name)
                return job.fail(.unavailable(isUnknown ? .unknown : .none, fault.message))
            case .unknown: exchange.fail(fault.message)
            }
        }
        carryOut(action, of: exchange, at: now)
    }

    private func carryOut(_ action: QueueAction, of exchange: Exchange, at now: Uptime) {
        let job = exchange.job
        let connection = exchange.connection
        let isOpen = connection.isInTransaction
        switch action {
        case .send(let pipeline) where connection.hasFailedTransaction:
            rollBack(job, then: pipeline, on: connection, at: now)
        case .send(let pipeline): send(pipeline, of: job, on: connection, at: now)
        case .startAgain where isOpen: rollBack(job, then: nil, on: connection, at: now)
        case .startAgain: repeatLater(job, at: now)
        case .finished, .unhandled: if isOpen { rollBack(nil, then: nil, on: connection, at: now) }
        }
    }

    private func rollBack(
        _ job: (any PendingJob)?, then next: Pipeline?, on connection: PostgreSQLConnection, at now: Uptime
    ) {
        let end = now + Self.rollbackMilliseconds
        phase = .rollingBack(job, then: next, until: min(end, job?.deadline ?? end))
        if !connection.send(Pipeline.notCommitting([SQL.rollback()])) {
            connectionLost("the connection was lost", at: now)
        }
    }

    private func repeatLater(_ job: any PendingJob, at now: Uptime) {
        job.repetitions += 1
        let doublings = UInt64(min(job.repetitions, Self.maximumExponent))
        let boundMilliseconds = min(Self.maximumRepetitionDelayMilliseconds, 1 << doublings)
        // The random delay keeps two nodes that are in each other's way from coming back at the same time.
        phase = .delayed(job, until: now + UInt64.random(in: 0...boundMilliseconds))
    }

    // MARK: The connection

    private func disconnect(_ reason: String, at now: Uptime) {
        lastFailure = reason
        failedAttempts = min(failedAttempts + 1, Self.maximumExponent)
        let delay = min(
            Self.maximumDelayMilliseconds, Self.minimumDelayMilliseconds << UInt64(failedAttempts - 1))
        state = .none(retryAt: now + delay)
    }

    /// Gives up a connection that is lost. A job is made again on the next one, unless what it has sent may have been
    /// committed.
    private func connectionLost(_ reason: String, at now: Uptime) {
        disconnect(reason, at: now)
        switch phase {
        case .sent(let job, let pipeline) where pipeline.commits:
            phase = .none
            job.fail(.unavailable(.unknown, reason))
        case .sent(let job, _): phase = .delayed(job, until: now)
        case .rollingBack(let job?, _, _): phase = .delayed(job, until: now)
        case .rollingBack(nil, _, _): phase = .none
        case .delayed, .none: break
        }
    }
}
