import CarillonClock
package import CarillonCluster
import CarillonClusterNode
package import CarillonCore
import CarillonPostgreSQL
package import CarillonRegistry
package import CarillonWire
import Logging
import NIOCore
import NIOPosix
import Synchronization

/// The server as a node of a cluster: its registry is made from the shared log, and delivery sends what this node has
/// claimed.
final class ClusterService: DeliveryNode, ServingNode {
    /// The node while it works, the registry that it applies entries to, and the delivery that it gives messages to.
    private struct OpenNode {
        var node: NodeLoop
        var registry: LMDBRegistry
        var delivery: DeliveryService
        /// A stream that ends with the node.
        var ended: AsyncStream<Never>
    }

    /// The end of the node, as the server must answer it.
    enum End: Sendable {
        /// The node has left on request.
        case left
        /// The node has stopped; the text says why.
        case stopped(String)
        /// The server must start again: then another database replaces that of the registry.
        case mustStartAgain
    }

    /// The exchange between the registry's writer and the node.
    let exchange = ReplicaExchange()
    private let settings: Settings.Cluster
    private let logger: Logger
    private let metrics: ClusterMetrics
    private let onEnd: @Sendable (End) -> Void
    /// The node with what it works on; nil until it is opened.
    private let openNode = Mutex<OpenNode?>(nil)
    /// The last count of claims, and the time at which it was made.
    private let lastCount = Mutex<(at: Uptime, claims: ClaimCounts)?>(nil)

    /// Makes the service; `open` joins the cluster.
    ///
    /// - Parameter onEnd: called once.
    init(
        _ settings: Settings.Cluster, metrics: ClusterMetrics, logger: Logger, onEnd: @escaping @Sendable (End) -> Void
    ) {
        self.settings = settings
        self.metrics = metrics
        self.logger = logger
        self.onEnd = onEnd
    }

    var node: NodeLoop? { openNode.withLock { $0?.node } }

    // MARK: Life

    /// Joins the cluster.
    ///
    /// - Throws: `SettingsError` if libpq is missing or the settings cannot be used, `RegistryError.closed` if the
    ///   registry was not opened with `exchange`.
    func open(_ registry: LMDBRegistry, delivery: DeliveryService, on loop: any EventLoop) throws {
        guard let name = NodeName(settings.node) else {
            throw SettingsError(
                "cluster.node", fault: "is \(settings.node); it must be a name: a to z, digits, '-', '_', '.'")
        }
        let log: PostgreSQLLog
        do throws(LogError) {
            log = try PostgreSQLLog(settings.url, log: exchange.appliedState?.record.state.log)
        } catch {
            throw SettingsError("cluster.url", fault: "cannot be used: \(error)")
        }
        let (ended, end) = AsyncStream.makeStream(of: Never.self)
        let node = try NodeLoop(
            name, of: registry, exchange: exchange, on: log, executor: EventLoopExecutor(loop),
            observer: observer(of: delivery) { end.finish() }
        ) { [settings] in
            $0.address = settings.address
            $0.version = CarillonServer.software
            if let format = settings.newestFormat { $0.newestFormat = format }
        }
        openNode.withLock { $0 = OpenNode(node: node, registry: registry, delivery: delivery, ended: ended) }
        node.start()
    }

    /// Returns the observer of the node, which logs its events and passes them on.
    ///
    /// - Parameter ended: called before `onEnd`.
    private func observer(
        of delivery: DeliveryService, ended: @escaping @Sendable () -> Void
    ) -> NodeLoop.Observer {
        var observer = NodeLoop.Observer()
        observer.incarnationBegan = { [logger] member in
            logger.notice("the node has joined the cluster", metadata: ["member": "\(member)"])
            delivery.incarnationBegan(as: member)
        }
        observer.incarnationEnded = { [logger] member in
            logger.warning(
                "the node is not in the cluster any more, and joins again", metadata: ["member": "\(member)"])
            delivery.incarnationEnded()
        }
        observer.stopped = { [onEnd] reason in
            ended()
            onEnd(reason == .left ? .left : .stopped(reason.description))
        }
        observer.mustStartAgain = { [onEnd] in
            ended()
            onEnd(.mustStartAgain)
        }
        observer.appended = { [metrics] in metrics.entryAppended(nanoseconds: $0) }
        observer.noticed = { [logger] text in logger.notice("\(text)") }
        return observer
    }

    /// Tells delivery of an entry of the shared log that was applied. Called on the registry's writer thread.
    func entryApplied(_ entry: AppliedEntry) { openNode.withLock { $0?.delivery }?.entryApplied(entry) }

    /// How long submitted changes may take to reach the shared log, and then the node's leave entry, in milliseconds.
    private static let leaveTimeoutMilliseconds: UInt64 = 5_000

    /// Leaves the cluster when everything that was submitted is in the shared log, and ends. Takes about twice
    /// `leaveTimeoutMilliseconds` at most.
    ///
    /// - Parameter upkeep: the threads on which it waits.
    func leave(waitingOn upkeep: NIOThreadPool) async {
        guard let open = openNode.withLock({ $0 }) else { return }
        if open.node.status.member != nil {
            open.delivery.writeDeferred()
            // Why try?: it throws only if the threads are shut down, which happens later.
            _ = try? await upkeep.runIfActive { [registry = open.registry] in
                registry.drainSubmissions(withinMilliseconds: Self.leaveTimeoutMilliseconds)
            }
        }
        open.node.leave(withinMilliseconds: Self.leaveTimeoutMilliseconds)
        for await _ in open.ended {}
        open.node.close()
    }

    // MARK: Positions

    /// The longest wait of a connection for a position, in milliseconds.
    private static let positionTimeoutMilliseconds: UInt64 = 1_000

    var helloNode: HelloAnswer.AnnouncedNode? {
        exchange.appliedState?.record.state.log.map { HelloAnswer.AnnouncedNode(name: settings.node, cluster: $0) }
    }

    var position: UInt64 { exchange.position }

    func awaitPosition(_ position: UInt64, _ completion: @escaping @Sendable (Bool) -> Void) {
        guard let node else { return completion(false) }
        node.awaitPosition(LogPosition(position), withinMilliseconds: Self.positionTimeoutMilliseconds, completion)
    }

    // MARK: Questions

    var mayAct: Bool { node?.mayAct ?? false }

    var membership: (member: Member, live: LiveMembers)? {
        exchange.appliedState.flatMap { applied in applied.member.map { ($0, applied.record.live) } }
    }

    var runsSharedTasks: Bool { mayAct && exchange.appliedState?.isOldestMember == true }

    /// The reason why the node is not ready, a sentence; nil if it is ready.
    var reasonNotReady: String? {
        guard let readiness = status?.readiness else { return "The node starts." }
        return readiness == .ready ? nil : readiness.description
    }

    /// The status of the node; nil before the node is opened.
    var status: NodeLoop.Status? { node?.status }

    /// The most messages whose claims are counted.
    private static let maximumCountedMessages = 10_000
    /// How long a count is kept, in milliseconds.
    private static let countLifetimeMilliseconds: UInt64 = 1_000

    /// Counts the claims of each node on the oldest messages; nil if they cannot be read. The count is of the last
    /// checkpoint, which is some seconds old at most, and is made once a second at most.
    func claimCounts(at now: Uptime) -> ClaimCounts? {
        if let last = lastCount.withLock({ $0 }), now.milliseconds(since: last.at) < Self.countLifetimeMilliseconds {
            return last.claims
        }
        // Why try?: a failed registry reports itself, and just then the other statistics are needed.
        guard let registry = openNode.withLock({ $0?.registry }),
            let claims = try? registry.claimCounts(limit: Self.maximumCountedMessages)
        else { return nil }
        lastCount.withLock { $0 = (now, claims) }
        return claims
    }

    /// Returns messages of the outbox that this node may claim as a whole or in part; none without a registry.
    func claimableMessages(limit: Int) throws(RegistryError) -> [ClaimableMessage] {
        guard let registry = openNode.withLock({ $0?.registry }) else { return [] }
        return try registry.claimableMessages(limit: limit)
    }
}

/// A node of a cluster, as delivery uses it. The requests of clients use it as a `ServingNode`.
package protocol DeliveryNode: AnyObject, Sendable {
    /// True if a push may begin at this moment.
    var mayAct: Bool { get }
    /// The present incarnation of the node and the live members, after the last entry that was applied; nil if the node
    /// has no incarnation.
    var membership: (member: Member, live: LiveMembers)? { get }
    /// True if this node runs the shared tasks, which one node does for all, such as releasing scheduled messages. It
    /// is the node that joined first (`LiveMembers.oldest`).
    var runsSharedTasks: Bool { get }
    /// Returns messages of the outbox that this node may claim; at most about `limit`.
    func claimableMessages(limit: Int) throws(RegistryError) -> [ClaimableMessage]
}

/// A node of a cluster, as the requests of clients use it. Delivery uses it as a `DeliveryNode`.
package protocol ServingNode: AnyObject, Sendable {
    /// True if a request may be answered at this moment.
    var mayAct: Bool { get }
    /// The node as HELLO shows it; nil before it has joined its cluster.
    var helloNode: HelloAnswer.AnnouncedNode? { get }
    /// The position of the last entry of the shared log that was applied.
    var position: UInt64 { get }
    /// Calls `completion`, on any thread: with true when that entry was applied, or with false if a bounded time passes
    /// first.
    func awaitPosition(_ position: UInt64, _ completion: @escaping @Sendable (Bool) -> Void)
    /// Ends the incarnation of another node; `completion` gets that incarnation, or why it is not over, on any thread.
    func remove(_ name: String, _ completion: @escaping @Sendable (Result<UInt64, RequestError>) -> Void)
}
