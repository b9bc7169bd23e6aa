import CarillonCore
import CarillonTransport
import CarillonWire
import NIOCore
import NIOPosix

/// Runs one request: permissions, registry, answer.
///
/// `answer` is called exactly once, on whichever thread the answer is known.
final class RequestRunner: Sendable {
    /// An answer or a refusal.
    typealias Answer = @Sendable (Result<Response, ErrorReply>) -> Void

    let registry: any Registry
    let delivery: DeliveryService
    let served: ServedApps
    let limiter: RateLimiter
    let metrics: RequestMetrics
    let statistics: StatisticsSource
    /// Runs the reads that may take longer than an event loop can wait.
    let readers: NIOThreadPool
    /// Wakes the event loops of sessions for completions from other threads.
    let notifier: CompletionNotifier

    init(
        registry: any Registry, delivery: DeliveryService, served: ServedApps, limiter: RateLimiter,
        metrics: RequestMetrics, statistics: StatisticsSource, readers: NIOThreadPool,
        notifier: CompletionNotifier
    ) {
        self.registry = registry
        self.delivery = delivery
        self.served = served
        self.limiter = limiter
        self.metrics = metrics
        self.statistics = statistics
        self.readers = readers
        self.notifier = notifier
    }

    /// - Parameter now: when the request was read.
    func run(
        _ request: Request, as principal: Principal, deadline: UInt64?, at now: Moment, _ respond: @escaping Answer
    ) {
        let answer = measured(request.opcode, respond)
        if let deadline, now.uptimeMilliseconds > deadline { return answer(.failure(Self.late)) }
        if let refusal = refusal(request, principal, now) { return answer(.failure(refusal)) }
        let work = Work(principal: principal, now: now.wall, deadline: deadline, answer: answer)
        switch request {
        case .registerBatch(let items): registerBatch(items, work)
        case .memberships, .groupDevices, .groups, .groupTopics, .topics, .topicDevices, .explain, .messageOutcomes,
            .quarantine, .messages, .receiptDevices, .devices:
            browse(request, work)
        case .join(let it): join(it, work.naming("groups", "group")) { .joined(Joined($0)) }
        case .switchGroup(let it): switchGroup(it, work)
        case .send(let message): send(message, work)
        case .updateMessage(let it): updateMessage(it, work)
        case .resend(let it): resend(it, work)
        case .receipts(let it): count(it, work)
        case .subscribeEvents(let it): subscribe(it, work)
        case .statistics(let it): statistics(it, work)
        case .eventCredit, .unsubscribeEvents:
            // Those of the session, which knows its subscriptions.
            answer(.failure(Self.bug))
        case .register, .unregister, .updateDevice, .restore, .leave, .subscribe, .unsubscribe, .updateGroup:
            // Those of `Changes`, which takes many at once.
            answer(.failure(Self.bug))
        case .lookup, .messageStatus:
            // Those of `PointReadBatch`, which answers many at once.
            answer(.failure(Self.bug))
        case .hello, .authenticate:
            // The session answers these itself.
            answer(.failure(ErrorReply(.internal, effect: .unknown, message: "not a request of this phase")))
        }
    }

    /// The same answer, counted on its way.
    private func measured(_ opcode: Opcode, _ answer: @escaping Answer) -> Answer {
        let started = NIODeadline.now().uptimeNanoseconds
        return { [metrics] result in
            let code: ErrorCode? = if case .failure(let error) = result { error.code } else { nil }
            metrics.answered(opcode, code, nanoseconds: NIODeadline.now().uptimeNanoseconds - started)
            answer(result)
        }
    }

    /// One request on its way.
    struct Work: Sendable {
        let principal: Principal
        let now: Timestamp
        let deadline: UInt64?
        let answer: Answer

        /// The same, with a fault of a field told under the name that the request has for it.
        func naming(_ field: String, _ name: String) -> Work {
            Work(principal: principal, now: now, deadline: deadline) { [answer] result in
                answer(
                    result.mapError { error in
                        var error = error
                        if error.field == field { error.field = name }
                        return error
                    })
            }
        }
    }

    // MARK: Permissions (Protocol 6.2 and 9.1)

    private func refusal(_ request: Request, _ principal: Principal, _ now: Moment) -> ErrorReply? {
        appRefusal(request, principal) ?? budgetRefusal(principal, now)
    }

    func budgetRefusal(_ principal: Principal, _ now: Moment) -> ErrorReply? {
        guard let wait = limiter.refuse(principal, now: now.uptimeMilliseconds) else { return nil }
        return ErrorReply(
            .rateLimited, retry: .after(milliseconds: wait), message: "the budget of \(principal.name) is spent")
    }

    private func appRefusal(_ request: Request, _ principal: Principal) -> ErrorReply? {
        if let (app, roles) = Self.permission(request), let refusal = refusal(app, roles, principal) { return refusal }
        switch request {
        // An announcement is a message.
        case .join(let it) where it.announcement != nil: return refusal(it.app, .send, principal)
        case .switchGroup(let it) where it.announcement != nil: return refusal(it.app, .send, principal)
        case .subscribeEvents(let it):
            for (index, app) in it.apps.enumerated() {
                guard var refusal = refusal(app, .observe, principal) else { continue }
                (refusal.field, refusal.item) = ("apps", UInt32(index))
                return refusal
            }
            return nil
        // It tells of every app.
        case .statistics where principal.apps(as: [.admin, .observe]) != nil:
            return ErrorReply(.forbidden, message: "\(principal.name) neither administers nor observes every app")
        default: return nil
        }
    }

    func refusal(_ app: AppID, _ roles: Roles, _ principal: Principal) -> ErrorReply? {
        guard principal.mayUse(app, as: roles) else {
            return ErrorReply(.forbidden, message: "\(principal.name) lacks the role for \(app)", field: "app")
        }
        guard served.serves(app) else {
            return ErrorReply(.notFound, message: "the app \(app) is not served here", field: "app")
        }
        return nil
    }

    /// The app of a request and the roles of which one is needed; nothing for what names none or several: the items of a
    /// batch are judged one by one.
    private static func permission(_ request: Request) -> (AppID, Roles)? {
        let asking: Roles = [.register, .observe]
        let watching: Roles = [.send, .observe]
        return switch request {
        case .memberships(let it): (it.app, asking)
        case .join(let it): (it.app, .register)
        case .switchGroup(let it): (it.app, .register)
        case .groupDevices(let it): (it.app, asking)
        case .groups(let it): (it.app, asking)
        case .topics(let it): (it.app, asking)
        case .groupTopics(let it): (it.app, asking)
        case .topicDevices(let it): (it.app, asking)
        case .explain(let it): (it.app, watching)
        case .send(let it): (it.content.app, .send)
        case .messageOutcomes(let it): (it.app, watching)
        case .quarantine(let it): (it.app, asking)
        case .messages(let it): (it.app, watching)
        case .updateMessage(let it): (it.app, .send)
        case .resend(let it): (it.app, .send)
        case .receipts(let it): (it.app, watching)
        case .receiptDevices(let it): (it.app, watching)
        case .devices(let it): (it.app, .admin)
        // Of no app, or of several: judged where they are run.
        case .statistics, .registerBatch, .subscribeEvents, .eventCredit, .unsubscribeEvents: nil
        case .lookup, .messageStatus: nil
        case .register, .unregister, .updateDevice, .restore, .leave, .subscribe, .unsubscribe, .updateGroup: nil
        case .hello, .authenticate: nil
        }
    }

    // MARK: Changes

    /// Submits one change; `respond` says what its answer means, or nil if it cannot be the answer to it.
    ///
    /// - Parameter missing: what is said if that is not there which the request names.
    func submit(
        _ change: Change, _ work: Work, missing: ErrorReply = RequestRunner.noDevice,
        _ respond: @escaping @Sendable (ChangeAnswer) -> Response?
    ) {
        // Of the work only what is needed: each reference that waits is counted up and down.
        let answer = work.answer
        registry.submit(change, deadline: work.deadline) { result in
            switch result {
            case .failure(let error): answer(.failure(Self.reply(error)))
            case .success(.refused(.notFound)): answer(.failure(missing))
            case .success(.refused(let refusal)): answer(.failure(Self.reply(refusal)))
            case .success(let change): answer(respond(change).map(Result.success) ?? .failure(Self.bug))
            }
        }
    }

    // MARK: Errors (Protocol 9)

    static let late = ErrorReply(
        .deadline, retry: .after(milliseconds: 0), message: "the deadline passed before the request began")
    static let bug = ErrorReply(
        .internal, effect: .unknown, retry: .after(milliseconds: 1_000), message: "the server made a mistake")
    static let noMessage = ErrorReply(.notFound, message: "there is no such message", field: "message_id")
    static let noDevice = ErrorReply(.notFound, message: "there is no such device", field: "device")

    static func reply(_ refusal: ChangeAnswer.Refusal) -> ErrorReply {
        switch refusal {
        case .stale: ErrorReply(.stale, message: "something newer is stored for this token")
        case .notFound: noDevice
        case .idempotencyConflict:
            ErrorReply(.idempotencyConflict, message: "this key was used with another body", field: "key")
        case .tooMany(.attributes): tooMany("attributes", "a device", MembershipLimits.attributes)
        case .tooMany(.groups): tooMany("groups", "a device", MembershipLimits.groups)
        case .tooMany(.topics): tooMany("topics", "a device or a group", MembershipLimits.topics)
        case .tooMany(.subscribers):
            ErrorReply(
                .invalidArgument, message: "too many names subscribe to events", field: "name",
                limit: UInt64(RegistryLimits.eventSubscribers))
        case .unfinished:
            ErrorReply(.invalidArgument, message: "the message has not finished yet", field: "message_id")
        case .outOfTime:
            ErrorReply(
                .invalidArgument, message: "the time after which no attempt starts is past: name a later one",
                field: "not_after")
        }
    }

    private static func tooMany(_ field: String, _ holder: String, _ limit: Int) -> ErrorReply {
        ErrorReply(
            .invalidArgument, message: "\(holder) has at most \(limit) \(field)", field: field, limit: UInt64(limit))
    }

    static func reply(_ error: RegistryError) -> ErrorReply {
        switch error {
        case .overloaded:
            ErrorReply(.overloaded, retry: .after(milliseconds: 100), message: error.description)
        case .deadline: late
        case .storageFull:
            ErrorReply(.storageFull, retry: .after(milliseconds: 60_000), message: error.description)
        case .storageFailed:
            ErrorReply(
                .storageFailed, effect: .unknown, retry: .after(milliseconds: 10_000),
                message: "the disk failed; the server stops")
        case .corrupted, .inUse:
            ErrorReply(.internal, effect: .unknown, retry: .after(milliseconds: 60_000), message: error.description)
        case .closed:
            ErrorReply(.draining, retry: .after(milliseconds: 0), message: "the server is stopping")
        }
    }
}
