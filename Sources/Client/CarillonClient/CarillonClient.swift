// The types of the calls: apps, devices, audiences, messages, outcomes, events. One import is enough for them and for
// their members, which type aliases would not show. CarillonCore has no other content that a client could meet.
@_exported public import CarillonCore
package import CarillonWire
public import Logging
public import NIOCore
import NIOPosix

/// A client of Carillon. All calls share one connection, which the first of them opens. When it is lost, the client
/// connects again, to the next of its addresses.
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
/// A client that lives as long as the program is a service of a `ServiceGroup`, or its `run()` is a task of a group.
/// Every other client must be closed with `close()`.
///
/// Calls may be made from any task, as many at once as wished; they share the connection and the server answers in any
/// order. A call is repeated only when that is safe: the server has not executed it, or making it twice is as good as
/// making it once. The error of a call that still fails says in `CarillonError.effect` whether it took effect.
/// Cancelling the task ends the wait with the code `.cancelled`.
public final class CarillonClient: Sendable {
    let shared: SharedClient
    private let options: CallOptions

    /// The configuration that the client was made with.
    public var configuration: Configuration { shared.configuration }

    /// Makes a client. Nothing is connected or read before `connect` or the first call.
    ///
    /// ```swift
    /// let client = CarillonClient(configuration: configuration)
    /// try await client.connect()
    /// print(try await client.serverInfo().software, "answers after", try await client.ping())
    /// await client.close()
    /// ```
    ///
    /// - Parameters:
    ///   - configuration: one that cannot be used, for example without an address, lets every call fail with
    ///     `.invalidArgument`.
    ///   - logger: gets a line for each connection that opens, is lost or cannot be made. Never a key, a token or a
    ///     payload. nil: the client writes nothing.
    ///   - eventLoopGroup: the client uses one of its loops; it must be of NIOPosix, and outlive the client. nil: the
    ///     group that programs share.
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

    /// Returns this client with another time for its calls; both share the connection.
    ///
    /// ```swift
    /// let hasty = client.with(timeout: .seconds(1)).withoutRetries()
    /// ```
    ///
    /// - Parameter timeout: the time that a call may take, with all its attempts.
    public func with(timeout: Duration) -> CarillonClient {
        CarillonClient(shared, options: CallOptions(timeout: timeout, isRepeated: options.isRepeated))
    }

    /// Returns this client without repetitions: it repeats no call by itself. Both share the connection.
    public func withoutRetries() -> CarillonClient {
        CarillonClient(shared, options: CallOptions(timeout: options.timeout, isRepeated: false))
    }

    /// Opens a connection if there is none.
    ///
    /// Calls do that by themselves; this says early whether addresses, key and certificates are right.
    ///
    /// ```swift
    /// try await client.connect()
    /// ```
    ///
    /// - Throws: after one round over all addresses, the first refusal of a server; else `.cannotConnect` with
    ///   `causes`.
    public func connect() async throws(CarillonError) {
        _ = try await shared.perform(.connect, options: options)
    }

    /// Closes the client. New calls fail; calls under way and acknowledgements of events may end first, for at most
    /// `drainTimeout` (by default, the one of the configuration).
    ///
    /// ```swift
    /// await client.close()
    /// ```
    public func close(drainTimeout: Duration? = nil) async {
        await shared.close(drainTimeout: drainTimeout ?? configuration.drainTimeout)
    }

    /// Returns the description of the server; connects if there is no connection.
    public func serverInfo() async throws(CarillonError) -> ServerInfo {
        guard case .serverInfo(let server) = try await shared.perform(.serverInfo, options: options) else {
            throw .mismatchedAnswer
        }
        return server
    }

    /// Sends a PING and returns the time to its answer.
    ///
    /// The server limits how often a client may ping: calls in quick succession wait.
    public func ping() async throws(CarillonError) -> Duration {
        guard case .roundTrip(let duration) = try await shared.perform(.ping, options: options) else {
            throw .mismatchedAnswer
        }
        return duration
    }

    /// The greatest position of the cluster's log that this client has seen; nil if its servers belong to no cluster.
    ///
    /// A state at this position has every change whose call has returned.
    public var position: ClusterPosition? { shared.positions.greatest }

    /// Lets the calls that follow be answered from a state that contains this position, which another client has seen.
    /// A node that has not applied the log up to there waits for that, for up to a second, and then answers `.behind`.
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
