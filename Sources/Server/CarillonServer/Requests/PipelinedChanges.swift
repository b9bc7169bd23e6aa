import CarillonClock
import CarillonCore
import CarillonSession
import CarillonWire
import NIOCore

/// Changes of one client about one app that were read together. They go to the registry together and come back
/// together, but each takes effect separately.
struct PipelinedChanges: PipelinedRequests {
    private let runner: RequestRunner
    private let app: AppID
    /// The client of the changes, and the time at which they were read.
    private var context: RequestContext
    /// The reason why the client may not make these changes; nil if it may. It is found once, with the first change,
    /// because every change of a client needs the same role (`OperationTableTests` checks it). A reload after that
    /// takes effect with the next pipeline.
    private lazy var refusal = runner.admission.roleRefusal(of: context.principal, as: .register, on: app)
    private var submitted: [(change: Change, deadline: Uptime?)] = []
    /// The requests of `submitted`.
    private var requests: [CompletedChanges.Request] = []
    private var refused: [(head: RequestHead, error: RequestError)] = []
    /// The number of rows that all changes touch, roughly.
    private var rowCount = 0
    /// The time at which the first change was read, in nanoseconds of uptime.
    private let startedAtNanoseconds = Clock.uptimeNanoseconds()

    /// The number of rows, roughly, at which a pipeline ends. Its changes are answered together, so without this bound
    /// a small change would wait for many large ones that were read with it.
    private static let maximumRows = 128

    /// Makes a pipeline without changes; `context` is the context of the first request.
    init(_ runner: RequestRunner, of app: AppID, in context: RequestContext) {
        self.runner = runner
        self.app = app
        self.context = context
    }

    var isEmpty: Bool { submitted.isEmpty && refused.isEmpty }

    var kind: ServerSession.Pipeline { .changes(of: app) }

    var hasRoom: Bool { rowCount < Self.maximumRows }

    mutating func addIfSameKind(_ step: ServerSession.PipelineStep) -> Bool {
        guard case .change(let change, let head) = step else { return false }
        add(change, head: head)
        return true
    }

    /// Adds a change, which must be about the same app.
    mutating func add(_ change: Change, head: RequestHead) {
        rowCount += change.traits.rows
        context.head = head
        if let refusal = runner.admission.check(context, permission: refusal ?? providerRefusal(of: change)) {
            refused.append((head, refusal))
        } else {
            submitted.append((change, head.deadline))
            requests.append(CompletedChanges.Request(id: head.id, opcode: head.opcode))
        }
    }

    /// Returns the reason why a device may not be registered; nil if it may, and for other changes.
    private func providerRefusal(of change: Change) -> RequestError? {
        guard case .register(let registration, _) = change else { return nil }
        return runner.admission.providerRefusal(of: registration)
    }

    /// Answers the changes that are refused.
    func refuse(_ session: inout ServerSession) {
        guard !refused.isEmpty else { return }
        let nanoseconds = Clock.uptimeNanoseconds() - startedAtNanoseconds
        for (head, error) in refused {
            session.fail(error, id: head.id, at: context.now.uptime)
            runner.metrics.requestAnswered(head.opcode, error: error.code, nanoseconds: nanoseconds)
        }
    }

    func refuseAll(_ error: RequestError, in session: inout ServerSession) {
        for request in requests { session.fail(error, id: request.id, at: context.now.uptime) }
        refuse(&session)
    }

    /// Submits the changes that are not refused to the registry.
    ///
    /// - Parameter completion: called once, on the thread on which the last result is known; not called if all changes
    ///   are refused.
    func submit(_ completion: @escaping @Sendable (CompletedChanges) -> Void) {
        guard !submitted.isEmpty else { return }
        let principal = context.principal.name
        runner.registry.submitEach(submitted) { [runner, app, startedAtNanoseconds, requests] results in
            completion(
                CompletedChanges(
                    runner: runner, principal: principal, app: app, startedAtNanoseconds: startedAtNanoseconds,
                    requests: requests, results: results))
        }
    }
}
