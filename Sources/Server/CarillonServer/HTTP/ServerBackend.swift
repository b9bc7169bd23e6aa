import CarillonCore
import CarillonHTTP
import CarillonWire
import Synchronization

/// The server as the HTTP ports use it.
final class ServerBackend: HTTPBackend {
    /// The name under which the reads of the console take turns with those of principals.
    private static let consolePrincipal = "console"

    private let clients: ClientService
    private let deployment: Mutex<Deployment>

    init(_ clients: ClientService, deployment: Deployment) {
        self.clients = clients
        self.deployment = Mutex(deployment)
    }

    private var runner: RequestRunner { clients.runner }

    /// Takes over a new deployment, whose configuration is shown.
    func apply(_ deployment: Deployment) { self.deployment.withLock { $0 = deployment } }

    func openSession(for address: String) throws -> CInt { try clients.openSession(for: address) }

    func sample(_ done: @escaping @Sendable (ConsoleSample?) -> Void) {
        runner.statistics.sample(on: runner.longReadThreads, for: Self.consolePrincipal, done)
    }

    func content(of message: MessageID, app: AppID, _ done: @escaping @Sendable (MessageContent?) -> Void) {
        runner.longReadThreads.submit(for: Self.consolePrincipal) { [registry = runner.registry] isActive in
            // Why try?: a failed registry reports itself, and the page says that there is no content.
            done(isActive ? (try? registry.content(of: message, app: app)) : nil)
        }
    }

    var position: ClusterPosition? {
        guard let node = runner.node, let cluster = node.helloNode?.cluster else { return nil }
        return ClusterPosition(cluster: cluster, number: node.position)
    }

    func awaitPosition(_ number: UInt64, _ done: @escaping @Sendable (Bool) -> Void) {
        guard let node = runner.node else { return done(false) }
        node.awaitPosition(number, done)
    }

    var configuration: [UInt8] { deployment.withLock { $0 }.descriptionAsJSON }
}
