import CarillonClock
import CarillonCore
import CarillonSession
import CarillonWire
import NIOCore

/// Runs requests: admits a request, asks the registry or another part of the server, and makes the answer.
///
/// A request comes in by `run`, which asks `RequestAdmission` whether it may run, and calls the function of the
/// request. A function that changes the registry gives its change to `submit` or `submitAndAnswer`. The runner is used
/// from every event loop. Each result is passed on exactly once, on the thread on which it is known.
///
/// | File | Requests |
/// |---|---|
/// | this one | `run` for each `IndividualRequest`; `submit` and `submitAndAnswer` for their changes |
/// | `+Devices`, `+Messages`, `+Channels`, `+Cluster` | the functions of the individual requests |
/// | `+LongReads` | `run` for listings, STATISTICS and dry runs, on threads of their own |
/// | `+Events` | `subscribe` for SUBSCRIBE_EVENTS; the function of FORGET_SUBSCRIBER, an individual request |
///
/// Other requests do not come in here:
///
/// - Point reads and changes that are requests of their own: `PipelinedPointReads` and `PipelinedChanges` ask
///   `RequestAdmission` and the registry for many of them at once.
/// - Requests about the session: `ServerSession` answers HELLO, and `RequestDispatcher` runs AUTH, EVENT_CREDIT and
///   UNSUBSCRIBE_EVENTS.
final class RequestRunner: Sendable {
    /// A handler of the result of a request: it is called exactly once, and answers the request.
    typealias ResultHandler = @Sendable (Result<EncodedAnswer, RequestError>) -> Void

    /// The registry as requests use it.
    typealias RegistryAccess = ChangeQueue & PointReads & ListingReads & EventReads

    /// The parts of the server that execute requests.
    struct Backend: Sendable {
        var registry: any RegistryAccess
        var delivery: DeliveryService
        /// The calls to APNs about broadcast channels.
        var channels: ChannelRouter
        var threads: ServerThreads
        /// The notifier that wakes the event loops of sessions for completions from other threads.
        var notifier: CompletionNotifier
        /// The node that decides which requests may be answered; nil for a server on its own.
        var node: (any ServingNode)?
    }

    /// A request that is being run, and the handler of its result.
    struct Execution: Sendable {
        let context: RequestContext
        /// The client's address, as `AuditLog.Client.address` has it.
        let clientAddress: String
        let complete: ResultHandler

        var principal: Principal { context.principal }
        var deadline: Uptime? { context.head.deadline }
        /// The time at which the request was read.
        var now: Timestamp { context.now.wall }
        /// The client, as the audit lines name it.
        var client: AuditLog.Client { AuditLog.Client(principal: principal.name, address: clientAddress) }
    }

    let registry: any RegistryAccess
    let delivery: DeliveryService
    let channels: ChannelRouter
    let node: (any ServingNode)?
    /// The apps that are served now.
    let served: ServedApps
    /// Decides which requests may run.
    let admission: RequestAdmission
    let metrics: RequestMetrics
    let statistics: StatisticsSource
    let events: RegistryEventReader
    let acknowledgements: EventAcknowledgements
    let audit: AuditLog
    private let threads: ServerThreads
    let notifier: CompletionNotifier

    init(
        _ backend: Backend, served: ServedApps, metrics: RequestMetrics, statistics: StatisticsSource,
        acknowledgements: EventAcknowledgements, audit: AuditLog
    ) {
        registry = backend.registry
        delivery = backend.delivery
        channels = backend.channels
        threads = backend.threads
        notifier = backend.notifier
        node = backend.node
        self.served = served
        admission = RequestAdmission(served: served, node: backend.node)
        self.metrics = metrics
        self.statistics = statistics
        events = RegistryEventReader(backend.registry, threads: backend.threads.eventReads)
        self.acknowledgements = acknowledgements
        self.audit = audit
    }

    /// The threads for reads that may take longer than an event loop can wait.
    var longReadThreads: ReaderThreads { threads.longReads }

    // MARK: Individual requests

    /// Runs an individual request.
    ///
    /// - Parameters:
    ///   - clientAddress: the client's address, as `AuditLog.Client.address` has it.
    ///   - complete: called on the thread on which the result is known.
    func run(
        _ request: IndividualRequest, in context: RequestContext, from clientAddress: String,
        _ complete: @escaping ResultHandler
    ) {
        let complete = measured(context.head.opcode, complete)
        if let refusal = admission.check(
            context, permission: admission.roleRefusal(ofOperation: request.operation, for: context.principal))
        {
            return complete(.failure(refusal))
        }
        let execution = Execution(context: context, clientAddress: clientAddress, complete: complete)
        switch request {
        case .registerBatch(let batch): registerBatch(batch.items, for: execution)
        case .join(let request): join(request, for: execution)
        case .switchGroup(let groupSwitch): switchGroup(groupSwitch, for: execution)
        case .send(let message): send(message, for: execution)
        case .updateMessage(let update): updateMessage(update, for: execution)
        case .resend(let request): resend(request, for: execution)
        case .receipts(let batch): countReceipts(batch, for: execution)
        case .forgetSubscriber(let removal): forget(removal, for: execution)
        case .createChannel(let creation): createChannel(creation, for: execution)
        case .channel(let request): readChannel(request, for: execution)
        case .channels(let listing): listChannels(listing, for: execution)
        case .deleteChannel(let deletion): deleteChannel(deletion, for: execution)
        case .removeNode(let removal): removeNode(removal, for: execution)
        }
    }

    /// Returns a handler of the result that also counts the request and its duration.
    func measured<Success>(
        _ opcode: Opcode, _ complete: @escaping @Sendable (Result<Success, RequestError>) -> Void
    ) -> @Sendable (Result<Success, RequestError>) -> Void {
        let started = Clock.uptimeNanoseconds()
        return { [metrics] result in
            let code: ErrorCode? = if case .failure(let error) = result { error.code } else { nil }
            metrics.requestAnswered(opcode, error: code, nanoseconds: Clock.uptimeNanoseconds() - started)
            complete(result)
        }
    }

    // MARK: Changes

    /// Submits one change of a request, and answers the request.
    ///
    /// - Parameters:
    ///   - missing: the error if the device or message of the request does not exist.
    ///   - makeResult: makes the result of the request from the registry's answer.
    func submitAndAnswer(
        _ change: Change, for execution: Execution, missing: RequestError = .noDevice,
        _ makeResult: @escaping @Sendable (ChangeAnswer) -> Result<EncodedAnswer, RequestError>
    ) {
        let complete = execution.complete
        submit(change, for: execution, missing: missing) { changeAnswer in complete(makeResult(changeAnswer)) }
    }

    /// Submits one change of a request, and answers the request if the change fails or is refused.
    ///
    /// - Parameter applied: takes the registry's answer otherwise; it answers the request.
    func submit(
        _ change: Change, for execution: Execution, missing: RequestError = .noDevice,
        applied: @escaping @Sendable (ChangeAnswer) -> Void
    ) {
        // The closure captures only what it needs of the execution: each captured reference is retained and released.
        let opcode = execution.context.head.opcode
        let complete = execution.complete
        registry.submit(change, deadline: execution.deadline) { result in
            switch result {
            case .failure(let error): complete(.failure(RequestError(error)))
            case .success(.refused(.notFound)): complete(.failure(missing))
            case .success(.refused(let refusal)): complete(.failure(RequestError(refusal).withField(ofRequest: opcode)))
            case .success(let changeAnswer): applied(changeAnswer)
            }
        }
    }
}
