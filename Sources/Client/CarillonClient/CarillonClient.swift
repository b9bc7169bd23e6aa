// The types of the calls: apps, devices, audiences, messages, outcomes, events. One import is enough for them and for
// their members, which type aliases would not show. CarillonCore has no other content that a client could meet.
@_exported public import CarillonCore
package import CarillonWire
public import Logging
public import NIOCore
import NIOPosix

/// A client of Carillon. All calls share one connection, which the first call opens. When the connection is lost, the
/// client connects to the next of its addresses.
///
/// ```swift
/// try await withCarillonClient(
///     configuration: .init(
///         addresses: [.tcp(host: "push-1.internal", port: 7474), .tcp(host: "push-2.internal", port: 7474)],
///         security: .tls(authorities: .file("/etc/carillon/ca.pem")),
///         apiKey: .file("/etc/carillon/game.key")
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
/// If a client lives as long as the program, add it to a `ServiceGroup`, or call its `run()` in a task group. Close
/// every other client with `close()`.
///
/// Any task may make calls, as many at once as you like. They share the connection, and the server answers them in any
/// order. The client retries a call only when that is safe: the server has not executed it, or making it twice is as
/// good as making it once. If a call fails in the end, `CarillonError.effect` says whether it took effect. Cancelling
/// the task ends the wait with the code `.cancelled`.
public final class CarillonClient: Sendable {
    let shared: SharedClient
    private let options: CallOptions

    /// The configuration that the client was made with.
    public var configuration: Configuration { shared.configuration }

    /// Makes a client. It connects and reads files only when you call `connect` or make the first call.
    ///
    /// ```swift
    /// let client = CarillonClient(configuration: configuration)
    /// try await client.connect()
    /// print(try await client.serverInfo().software, "answers after", try await client.ping())
    /// await client.close()
    /// ```
    ///
    /// - Parameters:
    ///   - configuration: the settings. If they cannot be used, for example without an address, every call fails with
    ///     `.invalidArgument`.
    ///   - logger: gets a line for each connection that opens, is lost or cannot be made, never with a key, a token or
    ///     a payload. With nil, the client logs nothing.
    ///   - eventLoopGroup: the client uses one of its loops. It must be a group of NIOPosix, and outlive the client.
    ///     With nil, the client uses the shared group.
    public init(
        configuration: Configuration, logger: Logger? = nil, eventLoopGroup: (any EventLoopGroup)? = nil
    ) {
        shared = SharedClient(configuration, logger: logger, eventLoopGroup: eventLoopGroup)
        options = CallOptions()
    }

    private init(_ shared: SharedClient, options: CallOptions) {
        self.shared = shared
        self.options = options
    }

    /// Returns this client with another timeout for its calls. Both share the connection.
    ///
    /// ```swift
    /// let hasty = client.with(timeout: .seconds(1)).withoutRetries()
    /// ```
    ///
    /// - Parameter timeout: the longest time that a call may take, including all attempts.
    public func with(timeout: Duration) -> CarillonClient {
        CarillonClient(shared, options: CallOptions(timeout: timeout, isRepeated: options.isRepeated))
    }

    /// Returns this client without retries: it makes each call once. Both share the connection.
    public func withoutRetries() -> CarillonClient {
        CarillonClient(shared, options: CallOptions(timeout: options.timeout, isRepeated: false))
    }

    /// Opens a connection if there is none.
    ///
    /// Calls connect by themselves. Use this to find out early whether the addresses, the key and the certificates are
    /// right.
    ///
    /// ```swift
    /// try await client.connect()
    /// ```
    ///
    /// - Throws: after trying each address once, the first refusal of a server; if no server refused, `.cannotConnect`
    ///   with `causes`.
    public func connect() async throws(CarillonError) {
        _ = try await shared.perform(.connect, options: options)
    }

    /// Closes the client. New calls fail at once. Running calls and acknowledgements of events have `drainTimeout` to
    /// end; nil means the timeout of the configuration.
    ///
    /// ```swift
    /// await client.close()
    /// ```
    public func close(drainTimeout: Duration? = nil) async {
        await shared.close(drainTimeout: drainTimeout ?? configuration.drainTimeout)
    }

    /// Returns the server's description of itself. Connects if there is no connection.
    public func serverInfo() async throws(CarillonError) -> ServerInfo {
        guard case .serverInfo(let server) = try await shared.perform(.serverInfo, options: options) else {
            throw .mismatchedAnswer
        }
        return server
    }

    /// Sends a PING, and returns how long the answer took.
    ///
    /// The server limits how often a client may ping, so calls in quick succession wait.
    public func ping() async throws(CarillonError) -> Duration {
        guard case .roundTrip(let duration) = try await shared.perform(.ping, options: options) else {
            throw .mismatchedAnswer
        }
        return duration
    }

    /// The highest position in the cluster's log that this client has seen; nil if its servers belong to no cluster.
    ///
    /// A state at this position contains every change that a finished call of this client has made.
    public var position: ClusterPosition? { shared.positions.greatest }

    /// Makes the following calls read a state that contains this position, which another client has seen. A node that
    /// has not applied the log that far waits for up to a second, and then answers `.behind`.
    ///
    /// A position of another cluster has no effect while this client is connected.
    ///
    /// ```swift
    /// if let position = writer.position { reader.readAfter(position) }
    /// let device = try await reader.app("com.example.game").lookup(.id(phone.id))
    /// ```
    public func readAfter(_ position: ClusterPosition) { shared.readAfter(position) }

    /// The time that a call may take.
    var timeout: Duration { options.timeout ?? configuration.requestTimeout }

    func request<O: Operation>(_ request: O) async throws(CarillonError) -> O.Answer {
        try await self.request(prepared: PreparedRequest(request), of: O.self)
    }

    /// Makes a request that is encoded already, and waits for its answer. A large request waits as its bytes alone.
    func request<O: Operation>(
        prepared: PreparedRequest, of operation: O.Type
    ) async throws(CarillonError) -> O.Answer {
        guard case .answer(let answer) = try await shared.perform(.request(prepared), options: options),
            let answer = answer.as(answerTo: O.self)
        else { throw .mismatchedAnswer }
        return answer
    }

    package func request(any request: any Operation) async throws(CarillonError) -> AnyAnswer {
        guard case .answer(let answer) = try await shared.perform(.request(PreparedRequest(request)), options: options)
        else {
            throw .mismatchedAnswer
        }
        return answer
    }
}

extension CarillonError {
    /// The error of a call whose answer is of another kind than its request.
    static let mismatchedAnswer = CarillonError(
        .server(.malformed), effect: .unknown, message: "an answer that does not fit")
    static let taskCancelled = CarillonError(.cancelled, retryAfter: .zero, message: "the task was cancelled")
}
