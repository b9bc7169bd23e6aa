public import Logging
public import NIOCore
public import ServiceLifecycle

/// Runs `body` with a client and closes the client at the end, also after an error: no call and no connection outlives
/// this call.
///
/// - Parameters:
///   - logger: as in `CarillonClient.init`.
///   - eventLoopGroup: as in `CarillonClient.init`.
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
    /// Calls work before it as well: it only bounds the lifetime.
    public func run() async throws {
        // Why try?: the error is that the task was cancelled, which ends the client as a shutdown does.
        try? await gracefulShutdown()
        await close()
    }
}
