import CarillonCluster
import CarillonCore
import CarillonDelivery
import CarillonRegistry
import CarillonTestKit
import CarillonWire
import CoreMetrics
import NIOCore
import NIOEmbedded
import NIOPosix
import Synchronization
import Testing

@testable import CarillonServer

/// The claims of a node, and its work until a claim is answered. The test is its registry and its cluster.
@Suite(.cleansUp) struct ClaimOperationsTests {
    private let node = FakeNode()
    private let registry: FakeRegistry
    private let service: DeliveryService
    private let loop = NIOAsyncTestingEventLoop()
    private let reader = NIOThreadPool(numberOfThreads: 1)
    private let member: Member
    private let refusals = ClaimRefusals()

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

    /// The node joins the cluster, which has no other.
    private func join() throws {
        var live = LiveMembers()
        let id = LogEntry.ID(member: member, sequence: 1)
        live.apply(try #require(LogEntry(id: id, format: 1, content: .joined)))
        node.state.withLock { $0.membership = (member, live) }
        service.incarnationBegan(as: member)
    }

    private var claims: ClaimOperations { get throws { try #require(service.claims) } }

    /// The most times that work goes from the loop to the reader and back: a read ends on the loop, which may begin
    /// another read. No test needs more than three.
    private static let maximumRoundTrips = 10

    /// Waits until everything is read and decided that is due.
    private func runDueWork() async throws {
        for _ in 0..<Self.maximumRoundTrips {
            await loop.run()
            try await reader.runIfActive {}
        }
    }

    /// The claims and releases that were submitted, in words and in order.
    private var submitted: [String] {
        registry.changes.compactMap { change in
            switch change {
            case .claim(let message): "claim \(message.rawValue)"
            case .claimPages(let message, let pages): "claim \(pages) pages of \(message.rawValue)"
            case .releaseBlocks(let message): "release \(message.rawValue)"
            default: nil
            }
        }
    }

    /// The devices that a connection gets.
    private func pull() -> [UInt64] {
        var deliveries: [Delivery] = []
        service.pull(for: ServiceHarness.pool, PullLimits(100), into: &deliveries)
        return deliveries.map(\.device.rawValue)
    }

    /// A large message that this node holds as a whole, and is to share.
    private func messageToShare(_ id: UInt64) -> OutboundMessage {
        var (outbound, page) = ServiceHarness.message(id, isLive: false)
        registry.hold(outbound, page)
        outbound.share = PageShare(pages: 4)
        return outbound
    }

    // MARK: Messages whose sender is gone

    @Test func messagesWhoseSenderIsGoneAreClaimed() async throws {
        try await runDueWork()
        node.state.withLock { $0.claimable = [7, 8].map { .whole(MessageID(rawValue: $0)) } }
        try claims.claimMessagesSoon()
        try await runDueWork()
        #expect(submitted == ["claim 7", "claim 8"])
    }

    /// Without a second search the messages would wait for the next start.
    @Test func aFailedSearchForMessagesIsRepeated() async throws {
        try await runDueWork()
        node.state.withLock { state in
            state.claimable = [.whole(MessageID(rawValue: 7))]
            state.errors = [.storageFailed("disk")]
        }
        try claims.continueClaims()
        try await runDueWork()
        #expect(submitted == [])
        try claims.continueClaims()
        try await runDueWork()
        #expect(submitted == ["claim 7"])
    }

    @Test(arguments: [false, true]) func aNodeThatMayNotActClaimsNothing(isMember: Bool) async throws {
        try await runDueWork()
        node.state.withLock { state in
            state.claimable = [.whole(MessageID(rawValue: 7))]
            if isMember { state.mayAct = false } else { state.membership = nil }
        }
        try claims.continueClaims()
        try claims.startSending(messageToShare(9))
        try await runDueWork()
        #expect(submitted == [])
    }

    // MARK: Messages that are shared

    @Test func nothingOfAMessageIsSentBeforeTheClaimThatSharesIt() async throws {
        try await runDueWork()
        try claims.startSending(messageToShare(9))
        try await runDueWork()
        #expect(submitted == ["claim 2 pages of 9"], "half of what there is")
        #expect(pull() == [])
    }

    /// Other nodes hear of the claim by the log: without it each message must have one sender.
    @Test func aMessageThatTheLogDoesNotShareIsSentAsAWhole() async throws {
        try await runDueWork()
        refusals.add(.logUnavailable("no connection"))
        try claims.startSending(messageToShare(9))
        try await runDueWork()
        #expect(pull() == [1, 2])
        try claims.continueClaims()
        try await runDueWork()
        #expect(submitted == ["claim 2 pages of 9"], "nothing more is claimed")
    }

    @Test func afterAnUnknownFailureTheClaimIsRepeatedAndNothingIsSent() async throws {
        try await runDueWork()
        refusals.add(.effectUnknown("connection lost"))
        try claims.startSending(messageToShare(9))
        try await runDueWork()
        #expect(pull() == [], "another node may have pages of it")
        try claims.continueClaims()
        try await runDueWork()
        #expect(submitted == ["claim 2 pages of 9", "claim 2 pages of 9"])
    }

    @Test func theBlocksOfAClaimAreSent() async throws {
        try await runDueWork()
        var outbound = messageToShare(9)
        outbound.share?.blocks = [PageBlock(first: 0, count: 1)]
        try claims.pagesClaimed(
            PageClaim(outbound: outbound, claimed: [PageBlock(first: 0, count: 1)], pagesLeft: 0), own: outbound)
        try await runDueWork()
        #expect(pull() == [1, 2])
    }

    @Test func aNodeClaimsNothingAfterTheEndOfItsIncarnation() async throws {
        try await runDueWork()
        refusals.add(.effectUnknown("connection lost"))
        try claims.startSending(messageToShare(9))
        try await runDueWork()
        service.incarnationEnded()
        try claims.continueClaims()
        try await runDueWork()
        #expect(submitted == ["claim 2 pages of 9"])
        #expect(pull() == [])
    }

    // MARK: Messages that another member sends alone

    /// Until the release is in the log, the other member waits for these pages.
    @Test func aReleaseThatFailsIsRepeated() async throws {
        try await runDueWork()
        refusals.add(.logUnavailable("no connection"))
        let update = UpdateMessageRequest(app: ServiceHarness.app, id: MessageID(rawValue: 9), messageUpdate: .pause)
        try claims.messageUpdated(by: update, outbound: nil, mustGiveUp: true)
        try await runDueWork()
        #expect(submitted == ["release 9"])
        try claims.continueClaims()
        try await runDueWork()
        try claims.continueClaims()
        try await runDueWork()
        #expect(submitted == ["release 9", "release 9"], "once it is released there is no more to do")
    }

    @Test func aMessageThatWasGivenUpIsNotBegunBeforeItIsReleased() async throws {
        try await runDueWork()
        refusals.add(.logUnavailable("no connection"))
        let update = UpdateMessageRequest(app: ServiceHarness.app, id: MessageID(rawValue: 9), messageUpdate: .pause)
        try claims.messageUpdated(by: update, outbound: nil, mustGiveUp: true)
        try await runDueWork()
        var outbound = messageToShare(9)
        outbound.share = nil
        try claims.startSending(outbound)
        try await runDueWork()
        #expect(pull() == [])
    }
}
