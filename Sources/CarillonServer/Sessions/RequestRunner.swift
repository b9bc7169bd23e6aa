import CarillonCore
import CarillonTransport
import CarillonWire

/// Runs one request: permissions, registry, answer.
///
/// `answer` is called exactly once, on whichever thread the answer is known.
struct RequestRunner: Sendable {
    /// An answer or a refusal.
    typealias Answer = @Sendable (Result<Response, ErrorReply>) -> Void

    let registry: any Registry
    let delivery: DeliveryService
    let routes: Routes
    let limiter: RateLimiter

    func run(_ request: Request, as principal: Principal, deadline: UInt64?, _ answer: @escaping Answer) {
        let now = Clock.now()
        if let deadline, now.uptimeMilliseconds > deadline { return answer(.failure(Self.late)) }
        if let refusal = refusal(request, principal, now) { return answer(.failure(refusal)) }
        switch request {
        case .register(let registration): register(registration, now.wall, deadline, answer)
        case .registerBatch(let items): registerBatch(items, principal, now.wall, deadline, answer)
        case .unregister(let it): unregister(it, now.wall, deadline, answer)
        case .send(let message): send(message, now.wall, deadline, answer)
        case .lookup(let it):
            read(answer) { () throws(RegistryError) in try registry.device(it.device, of: it.app).map(Response.device) }
        case .messageStatus(let it):
            read(answer) { () throws(RegistryError) in try registry.status(of: it.id, app: it.app).map(Response.status)
            }
        case .messageOutcomes(let it):
            read(answer) { () throws(RegistryError) in
                try registry.outcomes(of: it.id, app: it.app, cursor: it.cursor, limit: Int(it.limit))
                    .map(Response.outcomes)
            }
        case .hello, .authenticate:
            // The session answers these itself.
            answer(.failure(ErrorReply(.internal, effect: .unknown, message: "not a request of this phase")))
        }
    }

    // MARK: Permissions (Protocol 6.2 and 9.1)

    private func refusal(_ request: Request, _ principal: Principal, _ now: Moment) -> ErrorReply? {
        if let (app, roles) = Self.permission(request), let refusal = refusal(app, roles, principal) { return refusal }
        guard let wait = limiter.refuse(principal, now: now.uptimeMilliseconds) else { return nil }
        return ErrorReply(
            .rateLimited, retry: .after(milliseconds: wait), message: "the budget of \(principal.name) is spent")
    }

    private func refusal(_ app: AppID, _ roles: Roles, _ principal: Principal) -> ErrorReply? {
        guard principal.mayUse(app, as: roles) else {
            return ErrorReply(.forbidden, message: "\(principal.name) lacks the role for \(app)", field: "app")
        }
        guard routes.serves(app) else {
            return ErrorReply(.notFound, message: "the app \(app) is not served here", field: "app")
        }
        return nil
    }

    /// The app and the roles of which one is needed; nothing for a batch, whose items are judged one by one.
    private static func permission(_ request: Request) -> (AppID, Roles)? {
        switch request {
        case .register(let it): (it.app, .register)
        case .unregister(let it): (it.app, .register)
        case .lookup(let it): (it.app, [.register, .observe])
        case .send(let it): (it.content.app, .send)
        case .messageStatus(let it): (it.app, [.send, .observe])
        case .messageOutcomes(let it): (it.app, [.send, .observe])
        case .registerBatch, .hello, .authenticate: nil
        }
    }

    // MARK: Changes

    private func register(
        _ registration: Registration, _ now: Timestamp, _ deadline: UInt64?, _ answer: @escaping Answer
    ) {
        submit(.register(registration, now: now), deadline, answer) { change in
            guard case .registered(let id, let result, let ended) = change else { return nil }
            deviceChanged(registration.app, id, result, ended)
            return .registered(id, result)
        }
    }

    private func deviceChanged(_ app: AppID, _ id: DeviceID, _ result: RegistrationResult, _ ended: DeviceID?) {
        if result == .replaced { delivery.deviceChanged(id, of: app) }
        if let ended { delivery.deviceChanged(ended, of: app) }
    }

    private func registerBatch(
        _ items: [Result<Registration, WireFault>], _ principal: Principal, _ now: Timestamp, _ deadline: UInt64?,
        _ answer: @escaping Answer
    ) {
        var results: [BatchItemResult?] = []
        var accepted: [Registration] = []
        for item in items {
            switch item {
            case .failure(let fault): results.append(.refused(fault.code))
            case .success(let registration):
                if let refusal = refusal(registration.app, .register, principal) {
                    results.append(.refused(refusal.code))
                } else {
                    results.append(nil)
                    accepted.append(registration)
                }
            }
        }
        let (placed, registrations) = (results, accepted)
        guard !registrations.isEmpty else { return answer(.success(.registeredBatch(placed.compactMap { $0 }))) }
        registry.submit(registrations.map { .register($0, now: now) }, deadline: deadline) { result in
            switch result {
            case .failure(let error): answer(.failure(Self.reply(error)))
            case .success(let changes):
                var rest = zip(registrations, changes).makeIterator()
                let results = placed.map { known -> BatchItemResult in
                    if let known { return known }
                    guard let (registration, change) = rest.next() else { return .refused(.internal) }
                    switch change {
                    case .registered(let id, let result, let ended):
                        deviceChanged(registration.app, id, result, ended)
                        return .registered(id, result)
                    case .refused(let refusal): return .refused(Self.reply(refusal).code)
                    case .unregistered, .accepted, .recorded: return .refused(.internal)
                    }
                }
                answer(.success(.registeredBatch(results)))
            }
        }
    }

    private func unregister(
        _ it: Unregistration, _ now: Timestamp, _ deadline: UInt64?, _ answer: @escaping Answer
    ) {
        submit(.unregister(it.device, app: it.app, at: it.at, now: now), deadline, answer) { change in
            guard case .unregistered(let id) = change else { return nil }
            // Before the answer: from then on no push to the device may begin.
            if let id { delivery.deviceChanged(id, of: it.app) }
            return .unregistered(id)
        }
    }

    private func send(_ message: Message, _ now: Timestamp, _ deadline: UInt64?, _ answer: @escaping Answer) {
        submit(.accept(message, now: now), deadline, answer) { change in
            guard case .accepted(let acceptance, let entry) = change else { return nil }
            if let entry { delivery.messageAccepted(entry) }
            return .accepted(acceptance)
        }
    }

    private func submit(
        _ change: Change, _ deadline: UInt64?, _ answer: @escaping Answer,
        _ respond: @escaping @Sendable (ChangeAnswer) -> Response?
    ) {
        registry.submit([change], deadline: deadline) { result in
            switch result {
            case .failure(let error): answer(.failure(Self.reply(error)))
            case .success(let changes):
                guard let change = changes.first else { return answer(.failure(Self.bug)) }
                if case .refused(let refusal) = change { return answer(.failure(Self.reply(refusal))) }
                answer(respond(change).map(Result.success) ?? .failure(Self.bug))
            }
        }
    }

    // MARK: Reads

    private func read(_ answer: Answer, _ body: () throws(RegistryError) -> Response?) {
        do throws(RegistryError) {
            guard let response = try body() else {
                return answer(.failure(ErrorReply(.notFound, message: "there is no such thing here")))
            }
            answer(.success(response))
        } catch {
            answer(.failure(Self.reply(error)))
        }
    }

    // MARK: Errors (Protocol 9)

    private static let late = ErrorReply(
        .deadline, retry: .after(milliseconds: 0), message: "the deadline passed before the request began")
    private static let bug = ErrorReply(
        .internal, effect: .unknown, retry: .after(milliseconds: 1_000), message: "the server made a mistake")

    static func reply(_ refusal: ChangeAnswer.Refusal) -> ErrorReply {
        switch refusal {
        case .stale: ErrorReply(.stale, message: "something newer is stored for this token")
        case .notFound: ErrorReply(.notFound, message: "there is no such device", field: "device")
        case .idempotencyConflict:
            ErrorReply(.idempotencyConflict, message: "this key was used with another body", field: "key")
        }
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
        case .corrupted:
            ErrorReply(.internal, effect: .unknown, retry: .after(milliseconds: 60_000), message: error.description)
        case .closed:
            ErrorReply(.draining, retry: .after(milliseconds: 0), message: "the server is stopping")
        }
    }
}
