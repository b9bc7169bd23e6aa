import CarillonCore
import CarillonSession
import CarillonWire
import NIOCore

extension Inquiry {
    /// The roles of which one is needed.
    fileprivate var roles: Roles {
        switch self {
        case .device: [.register, .observe]
        case .status: [.send, .observe]
        }
    }
}

/// Inquiries of one client and of one kind that were read together: what is the same for all of them is done once.
struct Inquiries {
    private let runner: RequestRunner
    private let principal: Principal
    private let now: Moment
    private let opcode: Opcode
    private var inquiries: [Inquiry] = []
    /// Those of `inquiries`.
    private var ids: [UInt64] = []
    private var refused: [(id: UInt64, reply: ErrorReply)] = []
    /// App and roles that were allowed last. What is served may change, but not between requests that were read together.
    private var allowed: (app: AppID, roles: Roles)?
    /// When the last answer was known, in nanoseconds of uptime.
    private var answeredAt = NIODeadline.now().uptimeNanoseconds
    /// Nanoseconds that those took which succeeded.
    private var durations: [UInt64] = []

    /// Inquiries that are read together at most: what all of them need is to fit in the processor's caches.
    static let limit = 128

    init(_ runner: RequestRunner, _ principal: Principal, _ now: Moment, _ opcode: Opcode) {
        self.runner = runner
        self.principal = principal
        self.now = now
        self.opcode = opcode
    }

    /// Adds an inquiry, which must have the opcode of the others.
    mutating func add(_ inquiry: Inquiry, _ id: UInt64, _ deadline: UInt64?) {
        if let refusal = refusal(inquiry, deadline) {
            refused.append((id, refusal))
        } else {
            inquiries.append(inquiry)
            ids.append(id)
        }
    }

    private mutating func refusal(_ inquiry: Inquiry, _ deadline: UInt64?) -> ErrorReply? {
        if let deadline, now.uptimeMilliseconds > deadline { return RequestRunner.late }
        return permissionRefusal(inquiry.app, inquiry.roles) ?? runner.budgetRefusal(principal, now)
    }

    private mutating func permissionRefusal(_ app: AppID, _ roles: Roles) -> ErrorReply? {
        if let allowed, allowed.roles == roles, allowed.app == app { return nil }
        if let refusal = runner.refusal(app, roles, principal) { return refusal }
        allowed = (app, roles)
        return nil
    }

    /// Answers all of them: those that are refused last, for a refusal may be what ends the session.
    mutating func answer(_ session: inout ServerSession) {
        if !inquiries.isEmpty {
            durations.reserveCapacity(inquiries.count)
            runner.registry.inquire(inquiries) { index, found in answer(found, index, &session) }
            if !durations.isEmpty { runner.metrics.succeeded(opcode, nanoseconds: durations) }
        }
        for (id, reply) in refused { fail(reply, id, &session) }
    }

    private mutating func answer(
        _ found: Result<InquiryAnswer?, RegistryError>, _ index: Int, _ session: inout ServerSession
    ) {
        switch found {
        case .success(.status(var status)) where status.state == .sending:
            if case .status(let message, _) = inquiries[index] { status.rate = runner.delivery.rate(of: message) }
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
