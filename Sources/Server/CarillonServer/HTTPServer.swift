import CarillonCore
import CarillonHTTP
import CarillonTLS
import CarillonWire
import Logging
import NIOCore
import Synchronization

/// Owns the HTTP ports of a deployment, the console and the service API. Changes them at a reload.
final class HTTPServer: Sendable {
    private let ports: HTTPPorts
    private let serviceAPI: HTTPListener?
    private let console: HTTPListener?
    private let deployment: Mutex<Deployment>
    private let backend: ServerBackend
    private let logger: Logger

    /// Makes the ports that the settings want; nil if they want none.
    init?(_ deployment: Deployment, clients: ClientService, logger: Logger) {
        let settings = deployment.settings
        guard settings.console.isEnabled || settings.http.isEnabled else { return nil }
        self.deployment = Mutex(deployment)
        self.logger = logger
        backend = ServerBackend(clients, deployment: deployment)
        ports = HTTPPorts(backend, logger: logger)
        serviceAPI =
            settings.http.isEnabled
            ? ports.makeServiceAPI(tls: settings.http.isLoopback ? nil : deployment.httpTLS) : nil
        console =
            settings.console.isEnabled
            ? ports.makeConsole(
                names: Self.consoleNames(deployment), tls: settings.console.isLoopback ? nil : deployment.httpTLS)
            : nil
    }

    /// Returns the names by which browsers reach the console.
    private static func consoleNames(_ deployment: Deployment) -> [String] {
        let settings = deployment.settings.console
        let further = settings.names.split(separator: " ").map(String.init)
        return [settings.host.contains(":") ? "[\(settings.host)]" : settings.host] + further
            + (deployment.certificate?.dnsNames ?? [])
    }

    func open() async throws {
        let settings = deployment.withLock { $0.settings }
        if let console {
            try await bind(
                console, to: settings.console, as: "the console", of: (.consoleHost, .consolePort, .consolePortFile))
        }
        if let serviceAPI {
            try await bind(
                serviceAPI, to: settings.http, as: "HTTP for services", of: (.httpHost, .httpPort, .httpPortFile))
        }
    }

    private func bind(
        _ listener: HTTPListener, to settings: Settings.HTTPListener, as title: String,
        of keys: (host: Setting, port: Setting, portFile: Setting)
    ) async throws {
        do {
            let port = try await listener.bind(host: settings.host, port: settings.port)
            logger.info(
                "\(title) is served",
                metadata: ["host": "\(settings.host)", "port": "\(port)", "tls": "\(!settings.isLoopback)"])
            if !settings.portFile.isEmpty { try PortFile.write(port, to: settings.portFile, setting: keys.portFile) }
        } catch let error as SettingsError {
            throw error
        } catch {
            throw SettingsError(
                listeningOn: "\(settings.host):\(settings.port)", of: keys.host, keys.port, because: error)
        }
    }

    func apply(_ deployment: Deployment) {
        self.deployment.withLock { $0 = deployment }
        if !deployment.settings.http.isLoopback { serviceAPI?.apply(tls: deployment.httpTLS) }
        if !deployment.settings.console.isLoopback { console?.apply(tls: deployment.httpTLS) }
        backend.apply(deployment)
    }

    /// Stops listening and ends the connections.
    func close() async {
        await console?.close()
        await serviceAPI?.close()
        await ports.shutDown()
    }
}

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

    /// Takes over a new deployment: the console shows its configuration from now on.
    func apply(_ deployment: Deployment) { self.deployment.withLock { $0 = deployment } }

    func openSession(for clientAddress: String) throws -> CInt { try clients.openSession(for: clientAddress) }

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
