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

/// A run of inquiries of one client that were read together: each is answered before the next is looked at, so that what
/// is the same for all of them is done once.
struct Inquiries {
    private let runner: RequestRunner
    private let principal: Principal
    private let now: Moment
    private var opcode = Opcode.lookup
    private var message: MessageID?
    /// App and roles that were allowed last. What is served may change, but not between requests that were read together.
    private var allowed: (app: AppID, roles: Roles)?
    /// When the last answer was known, in nanoseconds of uptime.
    private var answeredAt = NIODeadline.now().uptimeNanoseconds
    /// Nanoseconds that those of `opcode` took which succeeded.
    private var durations: [UInt64] = []

    init(_ runner: RequestRunner, _ principal: Principal, _ now: Moment) {
        self.runner = runner
        self.principal = principal
        self.now = now
    }

    /// Begins an inquiry: why it is not to be made, or nothing.
    mutating func begin(_ inquiry: Inquiry, deadline: UInt64?) -> ErrorReply? {
        let opcode = inquiry.opcode
        if opcode != self.opcode {
            end()
            self.opcode = opcode
        }
        guard let refusal = refusal(inquiry, deadline) else {
            if case .status(let id, _) = inquiry { message = id }
            return nil
        }
        count(refusal.code)
        return refusal
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

    /// Tells the client what was found for the inquiry `id`, which was begun last.
    mutating func answer(
        _ found: Result<InquiryAnswer?, RegistryError>, _ id: UInt64, _ session: inout ServerSession
    ) {
        let error: ErrorReply
        switch found {
        case .success(.status(var status)) where status.state == .sending:
            if let message { status.rate = runner.delivery.rate(of: message) }
            session.answer(.status(status), id: id)
            return count(nil)
        case .success(let answer?):
            session.answer(answer, id: id)
            return count(nil)
        case .success(nil): error = opcode == .lookup ? RequestRunner.noDevice : RequestRunner.noMessage
        case .failure(let failure): error = RequestRunner.reply(failure)
        }
        session.fail(error, id: id, at: now.uptimeMilliseconds)
        count(error.code)
    }

    private mutating func count(_ code: ErrorCode?) {
        let now = NIODeadline.now().uptimeNanoseconds
        let duration = now - answeredAt
        answeredAt = now
        if let code { return runner.metrics.answered(opcode, code, nanoseconds: duration) }
        durations.append(duration)
    }

    /// Counts what was not counted yet.
    mutating func end() {
        guard !durations.isEmpty else { return }
        runner.metrics.succeeded(opcode, nanoseconds: durations)
        durations.removeAll(keepingCapacity: true)
    }
}
