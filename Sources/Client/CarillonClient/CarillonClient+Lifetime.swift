public import Logging
public import NIOCore
public import ServiceLifecycle

/// Runs `body` with a client, and closes the client at the end, even after an error. No call and no connection outlives
/// this call.
///
/// ```swift
/// let configuration = try CarillonClient.Configuration.fromEnvironment()
/// let phones = try await withCarillonClient(configuration: configuration) { client in
///     try await client.app("com.example.game").explain(Condition("'raids' in topics")).devices
/// }
/// ```
///
/// - Parameters:
///   - configuration: the addresses of the servers, the protection of the connections and the key.
///   - logger: gets a line for each connection that opens, is lost or cannot be made, never with a key, a token or a
///     payload. With nil, the client logs nothing.
///   - eventLoopGroup: the client uses one of its loops. It must be a group of NIOPosix, and outlive the client. With
///     nil, the client uses the shared group.
///   - body: gets the client, which must not be used afterwards. Its result is the result of this call.
/// - Throws: the error of `body`.
public func withCarillonClient<Result, Failure: Error>(
    configuration: CarillonClient.Configuration,
    logger: Logger? = nil,
    eventLoopGroup: (any EventLoopGroup)? = nil,
    _ body: (CarillonClient) async throws(Failure) -> Result
) async throws(Failure) -> Result {
    let client = CarillonClient(configuration: configuration, logger: logger, eventLoopGroup: eventLoopGroup)
    do throws(Failure) {
        let result = try await body(client)
        await client.close()
        return result
    } catch {
        await client.close()
        throw error
    }
}

/// The client as a service of a `ServiceGroup`; its `run()` can be a task of any group.
extension CarillonClient: Service {
    /// Waits until the service group shuts down, or the task is cancelled; then closes the client as `close()` does.
    ///
    /// Calls work without it, too: it only ends the client.
    public func run() async throws {
        // Why try?: the error is that the task was cancelled, which ends the client as a shutdown does.
        try? await gracefulShutdown()
        await close()
    }
}
