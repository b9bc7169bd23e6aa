import CarillonClock
import CarillonCore
import CarillonSession
import CarillonWire
import NIOCore

/// Point reads of one client, of one operation and about one app, that were received together. They are answered from
/// one snapshot. Reads for which the snapshot may be out of date are answered by the registry's writer.
///
/// Clients send lookups one after the other without waiting, and one piece of input often has many. If each were
/// answered alone, it would begin a snapshot, read the row of the app, and wait for the memory of its own rows.
/// Together the lookups share the snapshot and the row of the app, and their own rows are fetched at the same time.
///
/// For example, 100 lookups have come, and two of their devices have changed since the last commit. Then 98 are
/// answered at once, and the other two wait for the writer as one entry of its queue.
struct PipelinedPointReads: PipelinedRequests {
    private let runner: RequestRunner
    private let app: AppID
    private let opcode: Opcode
    /// The client of the reads, and the time at which they are begun.
    private var context: RequestContext
    /// The reason why the client may not make these reads; nil if it may. It is found once, with the first read. A
    /// reload after that takes effect with the next pipeline.
    private lazy var refusal = runner.admission.roleRefusal(
        of: context.principal, as: OperationTable.row(of: opcode)?.roles ?? [], on: app)
    private var reads: [PointRead] = []
    /// The request ids of `reads`.
    private var ids: [UInt64] = []
    private var refused: [(id: UInt64, error: RequestError)] = []
    /// The number of `reads`, from the first, that are answered or are in `waiting`.
    private var handledCount = 0
    /// The reads that no snapshot can answer now: they are submitted to the writer after the others are answered.
    private var waiting: [(read: PointRead, id: UInt64)] = []
    /// The writer's results for the reads from `firstResultIndex` on; empty if all of its results were answered.
    private var results: [Result<PointReadResult?, RegistryError>] = []
    private var firstResultIndex = 0
    /// The uptime at which the last answer was made; before the first, the uptime at which the pipeline was made.
    private var answeredAtNanoseconds = Clock.uptimeNanoseconds()
    /// The duration of each read that the current call of `answer` has answered without an error, in nanoseconds.
    private var durationsNanoseconds: [UInt64] = []

    /// The most reads that are pipelined. Their rows together should fit in the processor's caches.
    private static let maximumReads = 128

    /// Makes a pipeline without reads; `context` is the context of the first request.
    init(_ runner: RequestRunner, as opcode: Opcode, of app: AppID, in context: RequestContext) {
        self.runner = runner
        self.opcode = opcode
        self.app = app
        self.context = context
    }

    var kind: ServerSession.Pipeline { .pointReads(opcode, of: app) }

    var hasRoom: Bool { reads.count + refused.count < Self.maximumReads }

    mutating func addIfSameKind(_ step: ServerSession.PipelineStep) -> Bool {
        guard case .pointRead(let read, let head) = step else { return false }
        add(read, head: head)
        return true
    }

    /// Adds a point read, which must be of the same operation and about the same app.
    mutating func add(_ read: PointRead, head: RequestHead) {
        context.head = head
        if let refusal = runner.admission.check(context, permission: refusal) {
            refused.append((head.id, refusal))
        } else {
            reads.append(read)
            ids.append(head.id)
        }
    }

    /// Submits the reads that are not answered to the registry's writer.
    ///
    /// - Parameter completion: called once, on any thread.
    func submit(_ completion: @escaping @Sendable ([Result<PointReadResult?, RegistryError>]) -> Void) {
        runner.registry.submitPointReads(
            Array(reads[handledCount...]), of: app, for: context.principal.name, completion: completion)
    }

    /// Takes the results of the writer, which belong to the first reads that are not answered.
    mutating func take(_ results: [Result<PointReadResult?, RegistryError>]) {
        self.results = results
        firstResultIndex = handledCount
    }

    /// The work that is left.
    enum Remaining {
        case allAnswered
        /// More reads can be answered: the caller calls `answer` again when the output was sent, or in its next turn.
        case hasMore
        /// The reads that are left need the writer: the caller calls `submit`.
        case needsWriter
    }

    /// Answers reads until all are answered, a piece of output is full, or the time is over. Refused reads are answered
    /// last, because a refusal may end the session.
    ///
    /// - Parameter end: the time at which other connections have their turn, in nanoseconds of uptime. One read is
    ///   answered even if that time is over.
    mutating func answer(_ session: inout ServerSession, untilNanoseconds end: UInt64) -> Remaining {
        if handledCount < reads.count {
            durationsNanoseconds.removeAll(keepingCapacity: true)
            durationsNanoseconds.reserveCapacity(reads.count - handledCount)
            if results.isEmpty {
                answerFromSnapshot(in: &session, untilNanoseconds: end)
            } else {
                answerResults(in: &session, untilNanoseconds: end)
            }
            if !durationsNanoseconds.isEmpty {
                runner.metrics.requestsSucceeded(opcode, nanoseconds: durationsNanoseconds)
            }
            guard handledCount == reads.count else { return .hasMore }
        }
        guard waiting.isEmpty else {
            reads = waiting.map(\.read)
            ids = waiting.map(\.id)
            handledCount = 0
            waiting = []
            return .needsWriter
        }
        for (id, error) in refused { fail(error, id: id, in: &session) }
        return .allAnswered
    }

    /// Answers the reads that a snapshot can answer, as many as there is room and time for.
    private mutating func answerFromSnapshot(in session: inout ServerSession, untilNanoseconds end: UInt64) {
        runner.registry.pointRead(reads[handledCount...], of: app) { index, result in
            if let result { return answerNext(result, in: &session, untilNanoseconds: end) }
            waiting.append((reads[index], ids[index]))
            handledCount += 1
            return true
        }
    }

    /// Answers the reads that the writer has made, as many as there is room and time for.
    private mutating func answerResults(in session: inout ServerSession, untilNanoseconds end: UInt64) {
        let resultsEnd = firstResultIndex + results.count
        while handledCount < resultsEnd {
            let result = results[handledCount - firstResultIndex]
            guard answerNext(result, in: &session, untilNanoseconds: end) else { break }
        }
        if handledCount == resultsEnd { results = [] }
    }

    /// Answers the next read; returns true if there is room and time for another.
    private mutating func answerNext(
        _ result: Result<PointReadResult?, RegistryError>, in session: inout ServerSession, untilNanoseconds end: UInt64
    ) -> Bool {
        answer(with: result, index: handledCount, in: &session)
        handledCount += 1
        return !session.mustFlush && answeredAtNanoseconds < end
    }

    private mutating func answer(
        with result: Result<PointReadResult?, RegistryError>, index: Int, in session: inout ServerSession
    ) {
        switch result {
        case .success(.status(var status)) where [.waiting, .sending].contains(status.state):
            if status.state == .sending, case .status(let message) = reads[index] {
                status.rate = runner.delivery.rate(of: message)
            }
            status.obstacles = runner.delivery.obstacles(of: app)
            session.answer(.status(status), id: ids[index])
            durationsNanoseconds.append(nanosecondsOfAnswer())
        case .success(let answer?):
            session.answer(answer, id: ids[index])
            durationsNanoseconds.append(nanosecondsOfAnswer())
        case .success(nil):
            fail(opcode == .lookup ? .noDevice : .noMessage, id: ids[index], in: &session)
        case .failure(let failure):
            fail(RequestError(failure), id: ids[index], in: &session)
        }
    }

    mutating func refuse(_ error: RequestError, in session: inout ServerSession) {
        for id in ids[handledCount...] + waiting.map(\.id) { fail(error, id: id, in: &session) }
        for (id, _) in refused { fail(error, id: id, in: &session) }
    }

    private mutating func fail(_ error: RequestError, id: UInt64, in session: inout ServerSession) {
        session.fail(error, id: id, at: context.now.uptime)
        runner.metrics.requestAnswered(opcode, error: error.code, nanoseconds: nanosecondsOfAnswer())
    }

    /// Returns the nanoseconds since the answer before; the next call counts from now.
    private mutating func nanosecondsOfAnswer() -> UInt64 {
        let now = Clock.uptimeNanoseconds()
        defer { answeredAtNanoseconds = now }
        return now - answeredAtNanoseconds
    }
}
