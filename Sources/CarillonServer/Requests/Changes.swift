import CarillonCore
import CarillonSession
import CarillonTransport
import CarillonWire
import NIOCore

/// Changes of one client about one app that were read together: they go to the registry in one piece, each for itself, and come
/// back in one, and what is the same for all of them is done once.
struct Changes {
    private let runner: RequestRunner
    private let principal: Principal
    private let now: Moment
    /// Why the client may not make them, if it may not.
    private let refusal: ErrorReply?
    private var submitted: [(change: Change, deadline: UInt64?)] = []
    /// Those of `submitted`.
    private var requests: [AnsweredChanges.Request] = []
    private var refused: [(id: UInt64, opcode: Opcode, reply: ErrorReply)] = []
    /// Rows that all of them touch, about.
    private var weight = 0
    private let app: AppID
    /// When the first was read, in nanoseconds of uptime.
    private let startedAt = NIODeadline.now().uptimeNanoseconds

    /// Rows that are touched together, about: so that a change does not wait for much that was read with it.
    private static let limit = 128

    init(_ runner: RequestRunner, _ principal: Principal, _ now: Moment, _ app: AppID) {
        self.runner = runner
        self.principal = principal
        self.now = now
        self.app = app
        // What is served may change, but not between requests that were read together.
        refusal = runner.refusal(app, .register, principal)
    }

    /// Whether there is room for another.
    var hasRoom: Bool { weight < Self.limit }

    /// Adds a change, which must be about their app.
    mutating func add(_ change: Change, _ id: UInt64, _ deadline: UInt64?) {
        let kind = ChangeKind(change)
        weight += change.rows
        if let refusal = refusal(deadline) {
            refused.append((id, kind.opcode, refusal))
        } else {
            submitted.append((change, deadline))
            requests.append((kind, id))
        }
    }

    private func refusal(_ deadline: UInt64?) -> ErrorReply? {
        if let deadline, now.uptimeMilliseconds > deadline { return RequestRunner.late }
        return refusal ?? runner.budgetRefusal(principal, now)
    }

    /// Answers those that are refused.
    func refuse(_ session: inout ServerSession) {
        guard !refused.isEmpty else { return }
        let nanoseconds = NIODeadline.now().uptimeNanoseconds - startedAt
        for (id, opcode, reply) in refused {
            session.fail(reply, id: id, at: now.uptimeMilliseconds)
            runner.metrics.answered(opcode, reply.code, nanoseconds: nanoseconds)
        }
    }

    /// Hands the others to the registry; `answered` is called once, on whichever thread the last answer is known, unless there are
    /// none.
    func submit(_ answered: @escaping @Sendable (AnsweredChanges) -> Void) {
        guard !submitted.isEmpty else { return }
        runner.registry.submitEach(submitted) { [runner, app, startedAt, requests] results in
            answered(
                AnsweredChanges(
                    runner: runner, app: app, startedAt: startedAt, requests: requests, results: results))
        }
    }
}

/// Changes that were submitted together, and what became of them.
struct AnsweredChanges: Sendable {
    typealias Request = (kind: ChangeKind, id: UInt64)

    fileprivate let runner: RequestRunner
    fileprivate let app: AppID
    fileprivate let startedAt: UInt64
    fileprivate let requests: [Request]
    /// One for each.
    fileprivate let results: [Result<ChangeAnswer, RegistryError>]

    /// Answers all of them; `now` is uptime in milliseconds.
    func answer(_ session: inout ServerSession, at now: UInt64) {
        // Before the answers: from then on no push may begin that was meant for what a device was before.
        tellDelivery()
        let nanoseconds = NIODeadline.now().uptimeNanoseconds - startedAt
        // Mostly all have the same result: the metrics are told of those that follow each other in one go.
        var (opcode, code, count): (Opcode?, ErrorCode?, UInt64) = (nil, nil, 0)
        func note(_ next: Opcode?, _ nextCode: ErrorCode?) {
            if next == opcode && nextCode == code { return count += 1 }
            if let opcode { runner.metrics.answered(opcode, code, nanoseconds: nanoseconds, count: count) }
            (opcode, code, count) = (next, nextCode, 1)
        }
        for ((kind, id), result) in zip(requests, results) {
            switch kind.response(result) {
            case .success(let response):
                session.respond(response, id: id)
                note(kind.opcode, nil)
            case .failure(let error):
                session.fail(error, id: id, at: now)
                note(kind.opcode, error.code)
            }
        }
        note(nil, nil)
    }

    /// What was read of devices before is not used any more if they are sent otherwise from now on.
    private func tellDelivery() {
        var devices: [DeviceID] = []
        for (request, result) in zip(requests, results) {
            guard case .success(let answer) = result else { continue }
            switch (request.kind, answer) {
            case (.register(let changesAudiences), .registered(let id, let result, let ended)):
                if RequestRunner.isAffected(result, changesAudiences) { devices.append(id) }
                if let ended { devices.append(ended) }
            case (_, .unregistered(let id?)), (_, .updated(let id)): devices.append(id)
            case (_, .membership(let answer)):
                guard case .devices(let affected) = answer.affected else {
                    return runner.delivery.devicesChanged(.allDevices, of: app)
                }
                devices += affected
            case (_, .muted(_, hasChanged: true)): return runner.delivery.devicesChanged(.allDevices, of: app)
            default: break
            }
        }
        if !devices.isEmpty { runner.delivery.devicesChanged(.devices(devices), of: app) }
    }
}

extension Change {
    /// Those that it touches, about, if it is of devices, groups or topics; at least one.
    fileprivate var rows: Int {
        switch self {
        case .register(let it, _): 1 + it.topics.count + it.groups.count
        case .join(let it, _): max(1, it.devices.count)
        case .leave(let it): max(1, it.devices.count)
        case .subscribe(let it), .unsubscribe(let it): max(1, it.topics.count * (it.devices.count + it.groups.count))
        default: 1
        }
    }
}
