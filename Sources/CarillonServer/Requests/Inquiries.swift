import CarillonCore
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
        let (app, roles) = (inquiry.app, inquiry.roles)
        if allowed?.app != app || allowed?.roles != roles {
            if let refusal = runner.refusal(app, roles, principal) { return refusal }
            allowed = (app, roles)
        }
        return runner.budgetRefusal(principal, now)
    }

    /// What the answer to the inquiry that was begun says to the client.
    mutating func reply(
        _ answer: Result<InquiryAnswer?, RegistryError>
    ) -> Result<InquiryAnswer, ErrorReply> {
        let error: ErrorReply
        switch answer {
        case .success(.status(var status)) where status.state == .sending:
            if let message { status.rate = runner.delivery.rate(of: message) }
            count(nil)
            return .success(.status(status))
        case .success(let found?):
            count(nil)
            return .success(found)
        case .success(nil): error = RequestRunner.nothing
        case .failure(let failure): error = RequestRunner.reply(failure)
        }
        count(error.code)
        return .failure(error)
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
