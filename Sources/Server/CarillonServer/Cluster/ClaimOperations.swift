import CarillonClock
import CarillonCluster
import CarillonCore
import CarillonDelivery
import CarillonRegistry
import Logging
import NIOCore
import NIOPosix
import Synchronization

/// Makes the claims of a node in the shared log.
///
/// A node sends only what it has claimed, and each claim is a change in the shared log. The node makes two kinds:
/// - It claims a whole message that no live member sends: its sender is gone, or the message was accepted before the
///   server was in a cluster.
/// - It claims pages of a large message, which several nodes send. The node keeps about as many pages as it sends in a
///   second, and asks for more when it has begun half of them (`ClaimPlanner`). So every node with free streams takes
///   part, each at its own speed. The node that accepted the message makes the first claim of pages, before it sends
///   any of the message. This claim shares the message with the other nodes.
///
/// When a message gets a pace, one member sends it alone. The other nodes give it up: they stop sending it, and release
/// their pages when none of their pushes is on the wire.
///
/// `DeliveryService` makes this value anew for each use. If it stored the value, the two would refer to each other, and
/// neither would be released. `ClaimState` keeps what the node knows.
struct ClaimOperations: Sendable {
    let delivery: DeliveryService
    let node: any DeliveryNode
    let state: ClaimState

    init(delivery: DeliveryService, node: any DeliveryNode, state: ClaimState) {
        self.delivery = delivery
        self.node = node
        self.state = state
    }

    // MARK: The incarnation

    /// Called when a new incarnation of the node has begun. It holds no claims yet.
    func incarnationBegan(as member: Member) { state.known.withLock { $0.member = member } }

    /// Forgets all claims: the node's incarnation is over.
    func incarnationEnded() {
        state.takeOver.withLock { $0.forget() }
        state.known.withLock { $0.forget() }
    }

    /// Returns true if the member is this node in its present incarnation.
    func isCurrent(_ member: Member?) -> Bool { member != nil && member == state.known.withLock { $0.member } }

    /// The member whose messages this node sends now; nil if the node has no incarnation, or its registry does not know
    /// it yet.
    var sendingMember: Member? {
        guard let member = state.known.withLock({ $0.member }), node.membership?.member == member else { return nil }
        return member
    }

    /// Makes the claims and the releases that were not possible before.
    func continueClaims() {
        claimMessages()
        planClaimsSoon()
        releaseGivenUp()
    }

    // MARK: Messages without a sender

    /// The most messages of each queue that are searched for one without a sender.
    private static let maximumSearchedMessages = 10_000

    /// Looks soon for messages that no live member sends.
    func claimMessagesSoon() { delivery.loop.execute { [weak delivery] in delivery?.claims?.claimMessages() } }

    /// Claims messages that no live member sends, and remembers the messages that have claimable pages.
    private func claimMessages() {
        guard node.mayAct, !state.isTakingOver.exchange(true, ordering: .acquiring) else { return }
        delivery.readThreads.submit { [self] threadState in
            guard case .active = threadState, let (member, live) = node.membership else { return takeOverEnded() }
            let claimable: [ClaimableMessage]
            do throws(RegistryError) {
                claimable = try node.claimableMessages(limit: Self.maximumSearchedMessages)
            } catch {
                delivery.logger.error("the outbox cannot be read", metadata: ["error": "\(error)"])
                return takeOverEnded()
            }
            claimablePagesFound(in: claimable)
            let whole = claimable.compactMap(\.wholeMessage)
            let claims = state.takeOver.withLock { $0.makeClaims(of: whole, by: member, among: live) }
            guard !claims.isEmpty else { return takeOverEnded() }
            delivery.registry.submitEach(claims.map { (.claim($0), nil) }) { _ in takeOverEnded() }
        }
    }

    private func takeOverEnded() { state.isTakingOver.store(false, ordering: .releasing) }

    private func claimablePagesFound(in messages: [ClaimableMessage]) {
        let shared = messages.filter { $0.wholeMessage == nil }
        guard !shared.isEmpty else { return }
        state.known.withLock { known in
            for case .shared(let outbound, let pagesLeft) in shared {
                known.sharedMessages.note(outbound, pagesLeft: pagesLeft)
            }
        }
        planClaimsSoon()
    }

    // MARK: Messages that another member sends alone

    /// Called when a message that several members may send was updated.
    ///
    /// - Parameters:
    ///   - outbound: the message as it is in the outbox now; nil if it is not sent.
    ///   - mustGiveUp: true if another member is the only sender of the message now.
    func messageUpdated(by request: UpdateMessageRequest, outbound: OutboundMessage?, mustGiveUp: Bool) {
        state.known.withLock { known in
            switch request.messageUpdate {
            case .pause, .pace(_?): known.sharedMessages.remove(request.id)
            case .cancel, .resume: if let outbound { known.sharedMessages.replace(with: outbound) }
            case .pace(nil): break
            }
            if mustGiveUp { known.giveUp(request.id) }
        }
        guard mustGiveUp else { return }
        delivery.callEngine { $0.messageTakenOver(request.id, at: Clock.now()) }
        delivery.loop.execute { [weak delivery] in delivery?.claims?.releaseGivenUp() }
    }

    /// Releases the pages of the messages that were given up and have no push on the wire.
    private func releaseGivenUp() {
        let messages = state.known.withLock { $0.givenUp }
        guard !messages.isEmpty else { return }
        // Deferred ends of blocks must be in the log before the release, so they are written first.
        delivery.writeDeferred()
        for message in delivery.readEngine({ engine in messages.filter { !engine.contains($0) } }) {
            delivery.registry.submit(.releaseBlocks(message), deadline: nil) { [self] result in
                if case .success = result { _ = state.known.withLock { $0.givenUp.remove(message) } }
            }
        }
    }
}
