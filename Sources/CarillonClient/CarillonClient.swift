import CarillonCore
import CarillonWire
import NIOCore
import NIOPosix
import Synchronization

/// A client of Carillon: one connection, made when it is first needed, shared by all calls, made again when it is lost.
///
/// ```swift
/// import CarillonClient
/// import CarillonCore
///
/// let client = CarillonClient(
///     configuration: .init(
///         address: .tcp(host: "push.internal", port: 7474),
///         security: .tls(authorities: "/etc/carillon/ca.pem"),
///         apiKey: key
///     )
/// )
/// let app = AppID("com.example.game")!
/// let address = DeviceAddress(environment: .production, kind: .device, token: DeviceToken(hex: digits)!)
/// let device = try await client.register(Registration(app: app, address: address))
/// let accepted = try await client.send(
///     Message(
///         content: MessageContent(app: app, pushType: .alert, payload: Array(#"{"aps":{"alert":"Hello"}}"#.utf8)),
///         devices: [.id(device.id)]
///     )
/// )
/// let status = try await client.waitUntilFinished(accepted.id, app: app)
/// print(status.outcomes)
/// await client.close()
/// ```
///
/// Calls may be made from any task, as many at once as wished; they share the connection and the server answers in any
/// order. A call is repeated only when that is safe: the server has not executed it, or making it twice is as good as
/// making it once. The error of a call that still fails says in `CarillonError.effect` whether it took effect.
/// Cancelling the task ends the wait with the code `cancelled`.
public final class CarillonClient: Sendable {
    /// The configuration that the client was made with.
    public let configuration: Configuration
    let eventLoop: any EventLoop
    private let dispatcher: NIOLoopBoundBox<CallDispatcher>
    private let lastCall = Atomic<UInt64>(0)

    /// Makes a client. Nothing is connected or read before the first call.
    public init(configuration: Configuration) {
        self.configuration = configuration
        let eventLoop = NIOSingletons.posixEventLoopGroup.next()
        self.eventLoop = eventLoop
        dispatcher = NIOLoopBoundBox.makeBoxSendingValue(CallDispatcher(configuration, eventLoop), eventLoop: eventLoop)
    }

    deinit {
        let dispatcher = dispatcher
        eventLoop.execute { dispatcher.value.abandon() }
    }

    /// Accepts no more calls, waits until those under way and the acknowledgements of events have ended, and closes the
    /// connection.
    public func close() async {
        await withCheckedContinuation { continuation in
            eventLoop.execute { self.dispatcher.value.close(continuation) }
        }
    }

    /// The description of the server and of this client; connects if there is no connection.
    public var serverInformation: ServerInformation {
        get async throws(CarillonError) {
            guard case .information(let information) = try await perform(.information) else { throw .mismatchedAnswer }
            return information
        }
    }

    /// The time from a PING to its answer.
    ///
    /// The server limits how often a client may ping: calls in quick succession wait.
    public func ping() async throws(CarillonError) -> Duration {
        guard case .roundTrip(let duration) = try await perform(.ping) else { throw .mismatchedAnswer }
        return duration
    }

    /// Makes a request and waits for its answer.
    func request<O: Operation>(_ request: O) async throws(CarillonError) -> O.Answer {
        guard case .answer(let answer) = try await perform(.request(request)), let answer = answer.as(answerTo: O.self)
        else { throw .mismatchedAnswer }
        return answer
    }

    /// Starts a subscription of events; on the event loop only.
    func begin(_ consumer: EventConsumer) {
        dispatcher.value.begin(consumer)
    }

    private func perform(_ command: Command) async throws(CarillonError) -> CallResult {
        let id = lastCall.add(1, ordering: .relaxed).newValue
        let deadline = RestartableTimer.now + configuration.requestTimeout.milliseconds
        let isCancelled = Cancellation()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation {
                (continuation: CheckedContinuation<Result<CallResult, CarillonError>, Never>) in
                eventLoop.execute {
                    let dispatcher = self.dispatcher.value
                    dispatcher.begin(id, Call(command, deadline: deadline, continuation))
                    if isCancelled.flag.load(ordering: .acquiring) { dispatcher.cancel(id) }
                }
            }
        } onCancel: {
            // If the call has not begun, it sees the flag; if it has, this comes after it.
            isCancelled.flag.store(true, ordering: .releasing)
            eventLoop.execute { self.dispatcher.value.cancel(id) }
        }
        return try result.get()
    }
}

/// Whether the task of a call was cancelled before the call began.
private final class Cancellation: Sendable {
    let flag = Atomic(false)
}

extension CarillonError {
    /// An answer of another kind than its request.
    static let mismatchedAnswer = CarillonError(
        .protocolViolation, effect: .unknown, message: "an answer that does not fit")
}
