import CarillonClock
import CarillonCore
import CarillonWire
public import Logging
public import NIOCore
import NIOPosix
import Synchronization

/// A client of Carillon: one connection, made when it is first needed, shared by all calls, made again when it is lost.
///
/// ```swift
/// import CarillonClient
///
/// try await withCarillonClient(
///     configuration: .init(
///         address: .tcp(host: "push.internal", port: 7474),
///         security: .tls(authorities: .file("/etc/carillon/ca.pem")),
///         apiKey: key
///     )
/// ) { client in
///     let game = client.app("com.example.game")
///     let address = DeviceAddress(environment: .production, kind: .device, token: DeviceToken(hex: digits)!)
///     let device = try await game.register(address)
///     let accepted = try await game.send(.alert(body: "Hello"), to: .device(device.id))
///     print(try await game.waitUntilFinished(accepted.id).outcomes)
/// }
/// ```
///
/// A client that lives as long as the program is a service of a `ServiceGroup`, or its `run()` is a task of a group; a
/// client that is made by hand is closed with `close()`.
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
    ///
    /// - Parameters:
    ///   - logger: gets a line for each connection that opens, is lost or cannot be made, with the pause before the next
    ///     attempt. Never a key, a token or a payload. nil: the client writes nothing.
    ///   - eventLoopGroup: the client uses one of its loops; it must be of NIOPosix, and outlive the client. nil: the
    ///     group that programs share.
    public init(
        configuration: Configuration, logger: Logger? = nil, eventLoopGroup: (any EventLoopGroup)? = nil
    ) {
        self.configuration = configuration
        let eventLoop = (eventLoopGroup ?? NIOSingletons.posixEventLoopGroup).next()
        self.eventLoop = eventLoop
        dispatcher = NIOLoopBoundBox.makeBoxSendingValue(
            CallDispatcher(configuration, eventLoop, logger: logger), eventLoop: eventLoop)
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
        let deadline = Clock.uptime() + configuration.requestTimeout.milliseconds
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
