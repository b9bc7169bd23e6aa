import CarillonCore
import CarillonRegistry
import CarillonTestKit
import CoreMetrics
import NIOPosix
import Synchronization
import Testing

@testable import CarillonServer

/// The server as a node, before it has joined a log: it may do nothing, and says so at once.
struct ClusterServiceTests {
    private let files = TemporaryDirectory()

    private func makeService(url: String = "host=127.0.0.1", node: String = "a") -> ClusterService {
        ClusterService(
            Settings.Cluster(url: url, node: node, address: ""),
            metrics: ClusterMetrics(factory: NOOPMetricsHandler.instance),
            logger: ScriptedConnection.logger, onEnd: { _ in })
    }

    private func open(_ service: ClusterService) throws {
        let threads = ScriptedConnection.threads
        let registry = try LMDBRegistry(path: files.path)
        defer { registry.close() }
        let delivery = DeliveryService(
            registry: registry, routes: Routes([:]),
            on: DeliveryService.Dependencies(
                readThreads: threads.deliveryReads, loop: threads.interactive.next(), logger: ScriptedConnection.logger,
                factory: NOOPMetricsHandler.instance),
            node: service)
        try service.open(registry, delivery: delivery, on: threads.interactive.next())
    }

    @Test func `a node that has not joined may do nothing`() throws {
        let service = makeService()
        #expect(service.reasonNotReady == "The node starts.")
        #expect(!service.mayAct)
        #expect(!service.runsSharedTasks)
        #expect(service.membership == nil)
        #expect(service.helloNode == nil)
        #expect(service.claimCounts(at: 0) == nil)
        #expect(try service.claimableMessages(limit: 10).isEmpty)
    }

    @Test func `a read does not wait for a position that the node cannot reach`() {
        let answers = Mutex<[Bool]>([])
        makeService().awaitPosition(7) { isThere in answers.withLock { $0.append(isThere) } }
        #expect(answers.withLock { $0 } == [false])
    }

    /// Otherwise a server that cannot start would not stop either: the test would hang.
    @Test(.timeLimit(.minutes(1))) func `a node that has not joined leaves at once`() async {
        await makeService().leave(waitingOn: ScriptedConnection.threads.upkeep)
    }

    @Test(arguments: [
        (url: "host=127.0.0.1", node: "Node A", unusable: "cluster.node"),
        (url: "no settings of libpq", node: "a", unusable: "cluster.url"),
    ])
    func `an unusable setting is named`(_ settings: (url: String, node: String, unusable: String)) throws {
        let service = makeService(url: settings.url, node: settings.node)
        let error = try #require(throws: SettingsError.self) { try open(service) }
        #expect("\(error)".contains(settings.unusable))
        #expect(service.node == nil)
    }
}
