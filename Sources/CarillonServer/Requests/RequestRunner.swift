import CarillonClock
import CarillonCore
import CarillonSession
import CarillonWire
import NIOCore

/// The runner of requests: it checks the permissions, asks the registry, and makes the answer. It runs requests of all
/// kinds. A `DirectRequest` is run directly by a function here: there is one for each operation of that kind.
///
/// A result is passed on exactly once, on the thread on which it is known.
final class RequestRunner: Sendable {
    /// A receiver of the result of a request, called exactly once, which answers it.
    typealias Reply = @Sendable (Result<EncodedAnswer, ErrorReply>) -> Void

    /// The registry as requests use it.
    typealias RegistryAccess = ChangeQueue & PointReads & ListingReads & EventReads

    /// The parts of the server that execute requests.
    struct Backend: Sendable {
        var registry: any RegistryAccess
        var delivery: DeliveryService
        /// The calls to APNs about broadcast channels.
        var channels: ChannelManager
        var threads: ServerThreads
        /// The notifier that wakes the event loops of sessions for completions from other threads.
        var notifier: CompletionNotifier
    }

    let registry: any RegistryAccess
    let delivery: DeliveryService
    let channels: ChannelManager
    let served: ServedApps
    let rateLimit = RequestRateLimit()
    let metrics: RequestMetrics
    let statistics: StatisticsSource
    let acknowledgements: EventAcknowledgements
    /// The log lines that say which client has sent and changed messages.
    let audit: AuditLog
    private let threads: ServerThreads
    /// The notifier that wakes the event loops of sessions for completions from other threads.
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
        self.served = served
        self.metrics = metrics
        self.statistics = statistics
        self.acknowledgements = acknowledgements
        self.audit = audit
    }

    /// The threads for reads that may take longer than an event loop can wait.
    var longReadThreads: ReaderThreads { threads.longReads }
    var eventReaders: ReaderThreads { threads.events }

    /// Runs a request of the kind `DirectRequest`.
    ///
    /// - Parameters:
    ///   - address: the client's IP address, or `unix`.
    ///   - reply: called on the thread on which the result is known.
    func run(
        _ request: DirectRequest, in context: RequestContext, from address: String,
        _ reply: @escaping Reply
    ) {
        let reply = measured(context.head.opcode, reply)
        if let refusal = admit(context, unless: roleRefusal(ofOperation: request.operation, for: context.principal)) {
            return reply(.failure(refusal))
        }
        let execution = Execution(context: context, address: address, reply: reply)
        switch request {
        case .registerBatch(let batch): registerBatch(batch.items, execution)
        case .join(let join): self.join(join, execution)
        case .switchGroup(let groupSwitch): switchGroup(groupSwitch, execution)
        case .send(let message): send(message, execution)
        case .updateMessage(let update): updateMessage(update, execution)
        case .resend(let resend): self.resend(resend, execution)
        case .receipts(let batch): countReceipts(batch, execution)
        case .forgetSubscriber(let removal): forget(removal, execution)
        case .createChannel(let creation): createChannel(creation, execution)
        case .channel(let request): readChannel(request, execution)
        case .channels(let listing): listChannels(listing, execution)
        case .deleteChannel(let deletion): deleteChannel(deletion, execution)
        case .removeNode(let removal): removeNode(removal, execution)
        }
    }

    /// A request that is being run, and the receiver of its result.
    struct Execution: Sendable {
        let context: RequestContext
        /// The client's IP address, or `unix`.
        let address: String
        let reply: Reply

        var principal: Principal { context.principal }
        var deadline: Uptime? { context.head.deadline }
        /// The time at which the request was read.
        var now: Timestamp { context.now.wall }
        /// The client, as the audit lines name it.
        var client: AuditLog.Client { AuditLog.Client(principal: principal.name, address: address) }
    }

    /// Returns a `reply` that also counts the request and its duration.
    func measured<Success>(
        _ opcode: Opcode, _ reply: @escaping @Sendable (Result<Success, ErrorReply>) -> Void
    ) -> @Sendable (Result<Success, ErrorReply>) -> Void {
        let started = Clock.uptimeNanoseconds()
        return { [metrics] result in
            let code: ErrorCode? = if case .failure(let error) = result { error.code } else { nil }
            metrics.requestAnswered(opcode, code, nanoseconds: Clock.uptimeNanoseconds() - started)
            reply(result)
        }
    }

    /// Submits one change of a request, and answers the request.
    ///
    /// - Parameters:
    ///   - missing: the error if the device or message of the request does not exist.
    ///   - makeResult: makes the result of the request from the registry's answer.
    func submitAndAnswer(
        _ change: Change, for execution: Execution, missing: ErrorReply = .noDevice,
        _ makeResult: @escaping @Sendable (ChangeAnswer) -> Result<EncodedAnswer, ErrorReply>
    ) {
        let reply = execution.reply
        submit(change, for: execution, missing: missing) { changeAnswer in reply(makeResult(changeAnswer)) }
    }

    /// Submits one change of a request, and answers the request if the change fails or is refused.
    ///
    /// - Parameter applied: takes the registry's answer otherwise; it answers the request.
    func submit(
        _ change: Change, for execution: Execution, missing: ErrorReply = .noDevice,
        applied: @escaping @Sendable (ChangeAnswer) -> Void
    ) {
        // The closure captures only what it needs of the execution: each captured reference is retained and released.
        let (opcode, reply) = (execution.context.head.opcode, execution.reply)
        registry.submit(change, deadline: execution.deadline) { result in
            switch result {
            case .failure(let error): reply(.failure(ErrorReply(error)))
            case .success(.refused(.notFound)): reply(.failure(missing))
            case .success(.refused(let refusal)): reply(.failure(ErrorReply(refusal).withField(ofRequest: opcode)))
            case .success(let changeAnswer): applied(changeAnswer)
            }
        }
    }
}
