import CarillonCore
import CarillonSession
import CarillonWire
import NIOCore

/// Changes of one client about one app that were read together. They go to the registry in one piece, take effect each
/// for itself, and come back in one piece.
struct ChangeBatch: RequestBatch {
    private let runner: RequestRunner
    private let principal: Principal
    private let now: Moment
    private let app: AppID
    /// The reason why the client may not make these changes; nil if it may.
    private let refusal: ErrorReply?
    private var submitted: [(change: Change, deadline: UInt64?)] = []
    /// The requests of `submitted`.
    private var requests: [CompletedChanges.Request] = []
    private var refused: [(id: UInt64, opcode: Opcode, reply: ErrorReply)] = []
    /// The number of rows that all changes touch, roughly.
    private var rows = 0
    /// When the first was read, in nanoseconds of uptime.
    private let startedAt = NIODeadline.now().uptimeNanoseconds

    /// Rows that a batch touches, roughly: so that a small change does not wait for many large ones that were read with
    /// it.
    private static let rowLimit = 128

    init(_ runner: RequestRunner, for principal: Principal, app: AppID, at now: Moment) {
        self.runner = runner
        self.principal = principal
        self.app = app
        self.now = now
        // A reload can change the answer, but not between requests that were read together. Every change of a client
        // needs the same role, so the batch is judged once.
        refusal = runner.refusal(of: principal, as: .register, on: app)
    }

    var kind: ServerSession.OpenBatch { .changes(of: app) }

    var hasRoom: Bool { rows < Self.rowLimit }

    mutating func add(_ step: ServerSession.BatchStep) -> Bool {
        guard case .change(let change, let opcode, let id, let deadline) = step else { return false }
        add(change, opcode: opcode, id: id, deadline: deadline)
        return true
    }

    /// Adds a change, which must be about the app of the batch.
    mutating func add(_ change: Change, opcode: Opcode, id: UInt64, deadline: UInt64?) {
        rows += change.rows
        if let refusal = runner.refusal(refusal, of: principal, deadline: deadline, at: now) {
            refused.append((id, opcode, refusal))
        } else {
            let request = CompletedChanges.Request(id: id, opcode: opcode, changesAudiences: change.changesAudiences)
            submitted.append((change, deadline))
            requests.append(request)
        }
    }

    /// Answers the changes that are refused.
    func refuse(_ session: inout ServerSession) {
        guard !refused.isEmpty else { return }
        let nanoseconds = NIODeadline.now().uptimeNanoseconds - startedAt
        for (id, opcode, reply) in refused {
            session.fail(reply, id: id, at: now.uptimeMilliseconds)
            runner.metrics.answered(opcode, reply.code, nanoseconds: nanoseconds)
        }
    }

    /// Submits the others to the registry.
    ///
    /// - Parameter completion: called once, on the thread on which the last result is known; not called if there are
    ///   none.
    func submit(_ completion: @escaping @Sendable (CompletedChanges) -> Void) {
        guard !submitted.isEmpty else { return }
        runner.registry.submitEach(submitted) { [runner, principal, app, startedAt, requests] results in
            completion(
                CompletedChanges(
                    runner: runner, principal: principal.name, app: app, startedAt: startedAt, requests: requests,
                    results: results))
        }
    }
}

extension Change {
    /// True if it registers a device that may be in other audiences after it.
    fileprivate var changesAudiences: Bool {
        if case .register(let registration, _) = self { registration.changesAudiences } else { false }
    }

    /// The number of rows that a change of devices, groups or topics touches, roughly; at least one.
    fileprivate var rows: Int {
        switch self {
        case .register(let registration, _): 1 + registration.topics.count + registration.groups.count
        case .join(let join, _, _): max(1, join.devices.count)
        case .leave(let leave): max(1, leave.devices.count)
        case .subscribe(let subscription), .unsubscribe(let subscription):
            max(1, subscription.topics.count * (subscription.devices.count + subscription.groups.count))
        default: 1
        }
    }
}
