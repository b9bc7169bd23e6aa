import CarillonCluster
import CarillonCore
import CarillonDelivery
import CarillonRegistry
import CarillonTestKit
import CarillonWire
import Synchronization
import Testing

@testable import CarillonServer

/// The claims of a node, and its work until a claim is answered.
@Suite(.cleansUp) struct ClaimOperationsTests {
    private let harness: ClaimHarness

    init() throws { harness = try ClaimHarness() }

    // MARK: Messages whose sender is gone

    @Test func `messages whose sender is gone are claimed`() async throws {
        try await harness.runDueWork()
        harness.node.state.withLock { $0.claimable = [7, 8].map { .whole(MessageID(rawValue: $0)) } }
        try harness.claims.claimMessagesSoon()
        try await harness.runDueWork()
        #expect(harness.submitted == [.claimWhole(7), .claimWhole(8)])
    }

    /// Without a second search the messages would wait for the next start.
    @Test func `a failed search for messages is repeated`() async throws {
        try await harness.runDueWork()
        harness.node.state.withLock { state in
            state.claimable = [.whole(MessageID(rawValue: 7))]
            state.errors = [.storageFailed("disk")]
        }
        try harness.claims.continueClaims()
        try await harness.runDueWork()
        #expect(harness.submitted == [])
        try harness.claims.continueClaims()
        try await harness.runDueWork()
        #expect(harness.submitted == [.claimWhole(7)])
    }

    @Test(arguments: [false, true]) func `a node that may not act claims nothing`(isMember: Bool) async throws {
        try await harness.runDueWork()
        harness.node.state.withLock { state in
            state.claimable = [.whole(MessageID(rawValue: 7))]
            if isMember { state.mayAct = false } else { state.membership = nil }
        }
        try harness.claims.continueClaims()
        try harness.claims.startSending(harness.messageToShare(9))
        try await harness.runDueWork()
        #expect(harness.submitted == [])
    }

    // MARK: Messages that are shared

    @Test func `a message is not sent before a claim shares its pages`() async throws {
        try await harness.runDueWork()
        try harness.claims.startSending(harness.messageToShare(9))
        try await harness.runDueWork()
        #expect(harness.submitted == [.claim(pages: 2, of: 9)], "half of what there is")
        #expect(harness.pull() == [])
    }

    /// Other nodes hear of the claim by the log: without it each message must have one sender.
    @Test func `a message that the log does not share is sent as a whole`() async throws {
        try await harness.runDueWork()
        harness.refusals.add(.logUnavailable("no connection"))
        try harness.claims.startSending(harness.messageToShare(9))
        try await harness.runDueWork()
        #expect(harness.pull() == [1, 2])
        try harness.claims.continueClaims()
        try await harness.runDueWork()
        #expect(harness.submitted == [.claim(pages: 2, of: 9)], "nothing more is claimed")
    }

    @Test func `after an unknown failure the claim is repeated and nothing is sent`() async throws {
        try await harness.runDueWork()
        harness.refusals.add(.effectUnknown("connection lost"))
        try harness.claims.startSending(harness.messageToShare(9))
        try await harness.runDueWork()
        #expect(harness.pull() == [], "another node may have pages of the message")
        try harness.claims.continueClaims()
        try await harness.runDueWork()
        #expect(harness.submitted == [.claim(pages: 2, of: 9), .claim(pages: 2, of: 9)])
    }

    @Test func `the blocks of a claim are sent`() async throws {
        try await harness.runDueWork()
        var outbound = harness.messageToShare(9)
        outbound.share?.blocks = [PageBlock(first: 0, count: 1)]
        try harness.claims.pagesClaimed(
            PageClaim(outbound: outbound, claimed: [PageBlock(first: 0, count: 1)], pagesLeft: 0), own: outbound)
        try await harness.runDueWork()
        #expect(harness.pull() == [1, 2])
    }

    @Test func `a node claims nothing after the end of its incarnation`() async throws {
        try await harness.runDueWork()
        harness.refusals.add(.effectUnknown("connection lost"))
        try harness.claims.startSending(harness.messageToShare(9))
        try await harness.runDueWork()
        harness.service.incarnationEnded()
        try harness.claims.continueClaims()
        try await harness.runDueWork()
        #expect(harness.submitted == [.claim(pages: 2, of: 9)])
        #expect(harness.pull() == [])
    }

    // MARK: Messages that another member sends alone

    /// Until the release is in the log, the other member waits for these pages.
    @Test func `a release that fails is repeated`() async throws {
        try await harness.runDueWork()
        harness.refusals.add(.logUnavailable("no connection"))
        let update = UpdateMessageRequest(app: ServiceHarness.app, id: MessageID(rawValue: 9), messageUpdate: .pause)
        try harness.claims.messageUpdated(by: update, outbound: nil, mustGiveUp: true)
        try await harness.runDueWork()
        #expect(harness.submitted == [.release(9)])
        try harness.claims.continueClaims()
        try await harness.runDueWork()
        try harness.claims.continueClaims()
        try await harness.runDueWork()
        #expect(harness.submitted == [.release(9), .release(9)], "once it is released there is no more to do")
    }

    @Test func `a message that was given up is not begun before it is released`() async throws {
        try await harness.runDueWork()
        harness.refusals.add(.logUnavailable("no connection"))
        let update = UpdateMessageRequest(app: ServiceHarness.app, id: MessageID(rawValue: 9), messageUpdate: .pause)
        try harness.claims.messageUpdated(by: update, outbound: nil, mustGiveUp: true)
        try await harness.runDueWork()
        var outbound = harness.messageToShare(9)
        outbound.share = nil
        try harness.claims.startSending(outbound)
        try await harness.runDueWork()
        #expect(harness.pull() == [])
    }
}
