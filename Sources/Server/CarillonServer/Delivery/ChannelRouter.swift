import CarillonAPNs
import CarillonCore
import CarillonTransport
import CoreMetrics
import Logging
import NIOCore
import NIOPosix
import Synchronization

/// Passes the requests about broadcast channels on to APNs: each credential and environment has one
/// `ChannelManagementClient`, so that a slow host holds up no requests to another.
final class ChannelRouter: Sendable {
    private struct OpenClient {
        var client: ChannelManagementClient
        var specification: PoolPlan.Specification
    }

    private struct State {
        var clients: [PoolKey: OpenClient] = [:]
        var routes = Routes([:])
        /// The counters of every key since the start: a client that replaces another continues them.
        var metrics: [PoolKey: ChannelMetrics] = [:]
    }

    private let epoch: UUIDBytes
    private let threads: ServerThreads
    private let factory: any MetricsFactory
    private let logger: Logger
    private let state = Mutex(State())

    init(epoch: UUIDBytes, threads: ServerThreads, factory: any MetricsFactory, logger: Logger) {
        self.epoch = epoch
        self.threads = threads
        self.factory = factory
        self.logger = logger
    }

    /// Takes the credentials and hosts of the deployment. If it throws, nothing has changed. Requests that are under
    /// way end on their old connections.
    func apply(_ deployment: Deployment) throws {
        let old = state.withLock { $0.clients }
        var clients: [PoolKey: OpenClient] = [:]
        for key in deployment.apps.routes.all {
            guard let specification = deployment.channelSpecification(key) else { continue }
            if let open = old[key], open.specification == specification {
                clients[key] = open
            } else {
                let client = ChannelManagementClient(
                    try deployment.channelTarget(key, epoch: epoch), loop: threads.interactive.next(),
                    metrics: metrics(key), logger: logger)
                clients[key] = OpenClient(client: client, specification: specification)
            }
        }
        state.withLock {
            $0.clients = clients
            $0.routes = deployment.apps.routes
        }
        for (key, open) in old where clients[key]?.client !== open.client {
            _ = open.client.close()
        }
    }

    private func metrics(_ key: PoolKey) -> ChannelMetrics {
        state.withLock { state in
            let metrics = state.metrics[key] ?? ChannelMetrics(key, factory: factory)
            state.metrics[key] = metrics
            return metrics
        }
    }

    /// Sends a request, and later calls `completion` exactly once, on an event loop. Returns false, and never calls
    /// `completion`, if the app has no credential in that environment.
    func send(
        _ request: ChannelManagementRequest, of app: AppID, in environment: APNsEnvironment, deadline: Uptime?,
        _ completion: @escaping ChannelManagementClient.Completion
    ) -> Bool {
        let client = state.withLock { state in
            state.routes.pool(for: app, at: PushDestination(environment)).flatMap { state.clients[$0]?.client }
        }
        guard let client else { return false }
        client.send(request, of: app, deadline: deadline, completion)
        return true
    }

    /// Waits for the requests on the way, and closes every connection.
    func close() async {
        let closed = state.withLock { state in state.clients.values.map { $0.client.close() } }
        // Why try?: a connection that cannot be closed is closed already.
        for future in closed { try? await future.get() }
    }
}
