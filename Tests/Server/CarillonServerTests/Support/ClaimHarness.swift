import CarillonCluster
import CarillonCore
import CarillonDelivery
import CarillonRegistry
import CarillonTestKit
import CoreMetrics
import NIOCore
import NIOEmbedded
import NIOPosix
import Synchronization
import Testing

@testable import CarillonServer

/// The claims of the one node of a cluster. The test is its registry and its cluster.
struct ClaimHarness {
    let node = FakeNode()
    private let registry: FakeRegistry
    let service: DeliveryService
    private let loop = NIOAsyncTestingEventLoop()
    private let reader = NIOThreadPool(numberOfThreads: 1)
    private let member: Member
    let refusals = ClaimRefusals()

    init() throws {
        let name = try #require(NodeName("a"))
        member = Member(node: name, incarnation: 1)
        registry = FakeRegistry { [refusals] change throws(RegistryError) in
            switch change {
            case .claimPages:
                try refusals.next()
                return .pagesClaimed(PageClaim())
            case .releaseBlocks:
                try refusals.next()
                return .applied
            default: return ServiceHarness.success(change)
            }
        }
        reader.start()
        let reader = reader
        // Why try?: a test has no use for the error.
        CleanUp.add { try? await reader.shutdownGracefully() }
        service = DeliveryService(
            registry: registry, routes: ServiceHarness.routes,
            on: DeliveryService.Dependencies(
                readThreads: reader, loop: loop, logger: RecordingLog().logger, factory: NOOPMetricsHandler.instance),
            node: node)
        service.routesChanged(
            ServiceHarness.routes, pools: [try ServiceHarness.makePool(for: service)], restarted: [])
        try join()
    }

    /// Lets the node join the cluster, which has no other.
    private func join() throws {
        var live = LiveMembers()
        let id = LogEntry.ID(member: member, sequence: 1)
        live.apply(try #require(LogEntry(id: id, format: 1, content: .joined)))
        node.state.withLock { $0.membership = (member, live) }
        service.incarnationBegan(as: member)
    }

    var claims: ClaimOperations { get throws { try #require(service.claims) } }

    /// The most times that work goes from the loop to the reader and back: a read ends on the loop, which may begin
    /// another read. No test needs more than three.
    private static let maximumRoundTrips = 10

    /// Waits until everything is read and decided that is due.
    func runDueWork() async throws {
        for _ in 0..<Self.maximumRoundTrips {
            await loop.run()
            try await reader.runIfActive {}
        }
    }

    /// A claim or a release that was submitted, with the number of its message.
    enum SubmittedChange: Equatable {
        case claimWhole(UInt64)
        case claim(pages: UInt32, of: UInt64)
        case release(UInt64)
    }

    /// The claims and releases that were submitted, in order.
    var submitted: [SubmittedChange] {
        registry.changes.compactMap { change in
            switch change {
            case .claim(let message): .claimWhole(message.rawValue)
            case .claimPages(let message, let pages): .claim(pages: pages, of: message.rawValue)
            case .releaseBlocks(let message): .release(message.rawValue)
            default: nil
            }
        }
    }

    /// Returns the devices that a connection gets.
    func pull() -> [UInt64] {
        var deliveries: [Delivery] = []
        service.pull(for: ServiceHarness.pool, PullLimits(100), into: &deliveries)
        return deliveries.map(\.device.rawValue)
    }

    /// Returns a large message that this node holds as a whole, and is to share.
    func messageToShare(_ id: UInt64) -> OutboundMessage {
        var (outbound, page) = ServiceHarness.message(id, isLive: false)
        registry.hold(outbound, page)
        outbound.share = PageShare(pages: 4)
        return outbound
    }
}
