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
/// making it once. Whatever still fails says in `CarillonError.effect` whether it took effect. Cancelling the task gives up
/// waiting, with the code `cancelled`.
public final class CarillonClient: Sendable {
    /// What the client was made with.
    public let configuration: Configuration
    let eventLoop: any EventLoop
    private let dispatcher: NIOLoopBoundBox<Dispatcher>
    private let lastCall = Atomic<UInt64>(0)

    /// Makes a client. Nothing is connected or read before the first call.
    public init(configuration: Configuration) {
        self.configuration = configuration
        let eventLoop = NIOSingletons.posixEventLoopGroup.next()
        self.eventLoop = eventLoop
        dispatcher = NIOLoopBoundBox.makeBoxSendingValue(Dispatcher(configuration, eventLoop), eventLoop: eventLoop)
    }

    deinit {
        let dispatcher = dispatcher
        eventLoop.execute { dispatcher.value.abandon() }
    }

    /// Takes no more calls, lets those that are out finish, and closes the connection.
    public func close() async {
        await withCheckedContinuation { continuation in
            eventLoop.execute { self.dispatcher.value.close(continuation) }
        }
    }

    /// What the server says of itself and of this client; connects if there is no connection.
    public var serverInformation: ServerInformation {
        get async throws(CarillonError) {
            guard case .information(let information) = try await perform(.information) else { throw .unfit }
            return information
        }
    }

    /// The time from asking the server for a sign of life to getting it.
    ///
    /// The server limits how often it is asked: calls in quick succession wait for their turn.
    public func ping() async throws(CarillonError) -> Duration {
        guard case .roundTrip(let duration) = try await perform(.ping) else { throw .unfit }
        return duration
    }

    /// Makes a request and waits for its answer.
    func request(_ request: Request) async throws(CarillonError) -> Response {
        guard case .response(let response) = try await perform(.request(request)) else { throw .unfit }
        return response
    }

    /// Takes a feed of events; on the event loop only.
    func begin(_ feed: EventConsumer) {
        dispatcher.value.begin(feed)
    }

    private func perform(_ operation: Operation) async throws(CarillonError) -> Reply {
        let id = lastCall.add(1, ordering: .relaxed).newValue
        let deadline = RestartableTimer.now + configuration.requestTimeout.milliseconds
        let isCancelled = Cancellation()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Result<Reply, CarillonError>, Never>) in
                eventLoop.execute {
                    let dispatcher = self.dispatcher.value
                    dispatcher.begin(id, Call(operation: operation, deadline: deadline, continuation: continuation))
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

/// Whether the task of a call was cancelled, for its beginning to see.
private final class Cancellation: Sendable {
    let flag = Atomic(false)
}

extension CarillonError {
    /// An answer of another kind than its request; the session has checked that already.
    static let unfit = CarillonError(.protocolViolation, effect: .unknown, message: "an answer that does not fit")
}
