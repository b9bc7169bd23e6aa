import CarillonCore
import CarillonSession
import CarillonWire
import NIOCore

/// PointReadBatch of one client, of one kind and about one app that were read together: what is the same for all of them is done once.
struct PointReadBatch {
    private let runner: RequestRunner
    private let principal: Principal
    private let now: Moment
    private let opcode: Opcode
    private let app: AppID
    /// Why the client may not make them, if it may not.
    private let refusal: ErrorReply?
    private var pointReads: [PointRead] = []
    /// Those of `pointReads`.
    private var ids: [UInt64] = []
    private var refused: [(id: UInt64, reply: ErrorReply)] = []
    /// When the last answer was known, in nanoseconds of uptime.
    private var answeredAt = NIODeadline.now().uptimeNanoseconds
    /// Nanoseconds that those took which succeeded.
    private var durations: [UInt64] = []

    /// PointReadBatch that are read together at most: what all of them need is to fit in the processor's caches.
    static let limit = 128

    init(_ runner: RequestRunner, _ principal: Principal, _ now: Moment, _ opcode: Opcode, _ app: AppID) {
        self.runner = runner
        self.principal = principal
        self.now = now
        self.opcode = opcode
        self.app = app
        // What is served may change, but not between requests that were read together.
        refusal = runner.refusal(app, opcode == .lookup ? [.register, .observe] : [.send, .observe], principal)
    }

    /// Adds an pointRead, which must be of the kind of the others and about their app.
    mutating func add(_ pointRead: PointRead, _ id: UInt64, _ deadline: UInt64?) {
        if let refusal = refusal(deadline) {
            refused.append((id, refusal))
        } else {
            pointReads.append(pointRead)
            ids.append(id)
        }
    }

    private func refusal(_ deadline: UInt64?) -> ErrorReply? {
        if let deadline, now.uptimeMilliseconds > deadline { return RequestRunner.late }
        return refusal ?? runner.budgetRefusal(principal, now)
    }

    /// Answers all of them: those that are refused last, for a refusal may be what ends the session.
    mutating func answer(_ session: inout ServerSession) {
        if !pointReads.isEmpty {
            durations.reserveCapacity(pointReads.count)
            runner.registry.pointRead(pointReads, of: app) { index, found in answer(found, index, &session) }
            if !durations.isEmpty { runner.metrics.succeeded(opcode, nanoseconds: durations) }
        }
        for (id, reply) in refused { fail(reply, id, &session) }
    }

    private mutating func answer(
        _ found: Result<PointReadResult?, RegistryError>, _ index: Int, _ session: inout ServerSession
    ) {
        switch found {
        case .success(.status(var status)) where status.state == .sending:
            if case .status(let message) = pointReads[index] { status.rate = runner.delivery.rate(of: message) }
            session.answer(.status(status), id: ids[index])
            durations.append(lap())
        case .success(let answer?):
            session.answer(answer, id: ids[index])
            durations.append(lap())
        case .success(nil):
            fail(opcode == .lookup ? RequestRunner.noDevice : RequestRunner.noMessage, ids[index], &session)
        case .failure(let failure):
            fail(RequestRunner.reply(failure), ids[index], &session)
        }
    }

    private mutating func fail(_ reply: ErrorReply, _ id: UInt64, _ session: inout ServerSession) {
        session.fail(reply, id: id, at: now.uptimeMilliseconds)
        runner.metrics.answered(opcode, reply.code, nanoseconds: lap())
    }

    /// Nanoseconds since the answer before.
    private mutating func lap() -> UInt64 {
        let now = NIODeadline.now().uptimeNanoseconds
        defer { answeredAt = now }
        return now - answeredAt
    }
}
