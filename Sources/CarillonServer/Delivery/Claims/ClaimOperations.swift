import CarillonClock
import CarillonCluster
import CarillonCore
import CarillonDelivery
import CarillonRegistry
import Logging
import NIOCore
import NIOPosix
import Synchronization

/// The claims that a node makes. It claims whole messages whose sender has gone, and pages of messages that several
/// nodes send. It claims as many pages as it sends in about a second. So all nodes with free streams take part in a
/// large message, each at its own speed.
///
/// This value has no state of its own: `DeliveryService` makes one for each use. So the two can call each other, and
/// neither owns the other. `ClaimState` keeps what the node knows.
struct ClaimOperations: Sendable {
    private let delivery: DeliveryService
    private let node: any DeliveryNode
    private let state: ClaimState

    /// The most messages of each queue among which one without a sender is looked for.
    private static let freeMessagesLooked = 10_000

    init(delivery: DeliveryService, node: any DeliveryNode, state: ClaimState) {
        (self.delivery, self.node, self.state) = (delivery, node, state)
    }

    // MARK: The incarnation

    /// Notes a new incarnation of the node, which holds no claims.
    func incarnationBegan(as member: Member) { state.claiming.withLock { $0.member = member } }

    /// Forgets all claims: the node's incarnation is over.
    func incarnationEnded() {
        state.takeOver.withLock { $0.forget() }
        state.claiming.withLock { $0.forget() }
    }

    /// Returns true if the member is this node in its present incarnation.
    func isCurrent(_ member: Member?) -> Bool { member != nil && member == state.claiming.withLock { $0.member } }

    /// The member whose messages this node sends now; nil if the node has no incarnation, or its registry does not know
    /// it yet.
    var sendingMember: Member? {
        guard let member = state.claiming.withLock({ $0.member }), node.membership?.member == member else { return nil }
        return member
    }

    /// Tries again what may not have been possible before.
    func continueClaims() {
        claimFreeMessages()
        planClaims()
        releaseGivenUp()
    }

    // MARK: Messages without a sender

    /// Looks soon for messages that no live member sends.
    func claimFreeMessagesSoon() { delivery.loop.execute { [weak delivery] in delivery?.claims?.claimFreeMessages() } }

    /// Claims messages that no live member sends.
    private func claimFreeMessages() {
        guard node.mayAct, !state.isClaiming.exchange(true, ordering: .acquiring) else { return }
        delivery.reader.submit { [self] threadState in
            guard case .active = threadState, let membership = node.membership else { return endClaiming() }
            var claims: [MessageID] = []
            do throws(RegistryError) {
                let found = try node.freeMessages(limit: Self.freeMessagesLooked)
                freePagesFound(found.filter { $0.shared != nil })
                let free = found.filter { $0.shared == nil }.map(\.id)
                claims = state.takeOver.withLock { $0.makeClaims(of: free, by: membership.member, membership.live) }
            } catch {
                delivery.logger.error("the outbox cannot be read", metadata: ["error": "\(error)"])
            }
            guard !claims.isEmpty else { return endClaiming() }
            delivery.registry.submitEach(claims.map { (.claim($0), nil) }) { _ in endClaiming() }
        }
    }

    private func endClaiming() { state.isClaiming.store(false, ordering: .releasing) }

    // MARK: What the log says

    /// Returns true if a message that this node holds as a whole is to be shared before any of it is sent. One that it
    /// is sending already stays whole.
    private func isToBeShared(_ outboxEntry: OutboxEntry, in engine: DeliveryEngine) -> Bool {
        guard let share = outboxEntry.share else { return false }
        return share.blocks == nil && !engine.contains(outboxEntry.id)
    }

    /// Begins with a message that this node sends, as a whole or in part, and that came into the outbox.
    func begin(_ outboxEntry: OutboxEntry) {
        if state.claiming.withLock({ $0.givenUp.contains(outboxEntry.id) }) { return }
        if delivery.inspect({ isToBeShared(outboxEntry, in: $0) }) {
            share(outboxEntry)
        } else {
            var outboxEntry = outboxEntry
            if outboxEntry.share?.blocks == nil { outboxEntry.share = nil }
            delivery.notifyEngine(accepted: outboxEntry)
        }
    }

    /// Shares a message that this node holds as a whole: its first claim of pages says so to all.
    private func share(_ outboxEntry: OutboxEntry) {
        state.claiming.withLock { claiming in
            claiming.shared.set(outboxEntry, left: outboxEntry.share?.pages ?? 0, isOwn: true)
            claiming.unshared.insert(outboxEntry.id)
        }
        planClaims()
    }

    /// Returns the messages of the outbox that this node sends as a whole. Messages that are to be shared are claimed
    /// first.
    ///
    /// - Parameter member: the member that this node was before they were read.
    func whole(_ entries: [OutboxEntry], readAs member: Member?, _ engine: DeliveryEngine) -> [OutboxEntry] {
        // Another member may send these messages by now. A new incarnation claims its messages anew.
        guard let member, sendingMember == member else { return [] }
        for outboxEntry in entries where isToBeShared(outboxEntry, in: engine) { share(outboxEntry) }
        let givenUp = state.claiming.withLock { $0.givenUp }
        return entries.filter { !givenUp.contains($0.id) && !isToBeShared($0, in: engine) }
    }

    /// Forgets a message that has an outcome for every recipient.
    func messageFinished(_ message: MessageID) { state.claiming.withLock { $0.shared.remove(message) } }

    /// Takes over that a member has claimed pages of a message.
    ///
    /// - Parameter own: the message as this node sends it, if the claim is its own.
    func pagesClaimed(_ claim: PageClaim, own: OutboxEntry?) {
        guard let outboxEntry = claim.outboxEntry else { return }
        let isGivenUp = state.claiming.withLock { claiming in
            claiming.shared.set(own ?? outboxEntry, left: claim.left)
            if own != nil { claiming.unshared.remove(outboxEntry.id) }
            return claiming.givenUp.contains(outboxEntry.id)
        }
        if let own, !isGivenUp {
            // A message that cannot be shared any more is sent as a whole.
            guard own.share?.blocks != nil else { return delivery.notifyEngine(accepted: own) }
            delivery.step { $0.pagesClaimed(claim.claimed, of: own, at: Clock.now()) }
        }
        planClaims()
    }

    /// Takes over an update of a message that several members may send.
    func messageUpdated(_ request: UpdateMessageRequest, _ outboxEntry: OutboxEntry?, isDisplaced: Bool) {
        state.claiming.withLock { claiming in
            switch request.messageUpdate {
            case .pause: claiming.shared.remove(request.id)
            case .cancel, .resume: if let outboxEntry { claiming.shared.update(outboxEntry) }
            case .pace(let pace): if pace != nil { claiming.shared.remove(request.id) }
            }
            if isDisplaced { claiming.giveUp(request.id) }
        }
        guard isDisplaced else { return }
        delivery.step { $0.giveUp(request.id, at: Clock.now()) }
        delivery.loop.execute { [weak delivery] in delivery?.claims?.releaseGivenUp() }
    }

    /// Notes messages of the outbox that have pages which no live member holds.
    private func freePagesFound(_ messages: [FreeMessage]) {
        guard !messages.isEmpty else { return }
        state.claiming.withLock { claiming in
            for message in messages {
                if let outboxEntry = message.shared { claiming.shared.set(outboxEntry, left: message.left) }
            }
        }
        planClaims()
    }

    // MARK: Claims

    /// Looks soon at what is to be claimed.
    func planClaims() {
        guard !state.isPlanning.exchange(true, ordering: .acquiring) else { return }
        delivery.loop.execute { [weak delivery] in delivery?.claims?.makeClaims() }
    }

    private func makeClaims() {
        state.isPlanning.store(false, ordering: .releasing)
        guard node.mayAct, sendingMember != nil, let live = node.membership?.live else { return }
        let known = state.claiming.withLock { $0.claimable }
        guard !known.isEmpty else { return }
        let now = Clock.now()
        let candidates = delivery.inspect { engine in
            known.compactMap { message -> ClaimPlanner.Candidate? in
                let summary = engine.summary(ofShared: message.outboxEntry, at: now)
                guard summary.canEnd else { return nil }
                return ClaimPlanner.Candidate(
                    message: message.outboxEntry.id, claimable: message.full(message.left),
                    notBegun: message.full(summary.unread), isIdle: summary.isIdle)
            }
        }
        let claims = state.claiming.withLock { claiming in
            claiming.planner.makeClaims(among: candidates, nodes: live.members.count, at: now.uptime).map { claim in
                let sparsity = claiming.shared[claim.message]?.sparsity ?? 1
                let (pages, overflows) = claim.pages.multipliedReportingOverflow(by: sparsity)
                return (
                    DeliveryService.DeliveryChange.claim(overflows ? .max : pages, of: claim.message), claim.mayWait
                )
            }
        }
        deferWrites(claims.filter(\.1).map(\.0))
        let urgent = claims.filter { !$0.1 }.map(\.0)
        if !urgent.isEmpty { delivery.write(urgent) }
    }

    /// Takes the answer to a claim.
    ///
    /// - Parameter member: the incarnation that made the claim.
    func claimEnded(of message: MessageID, as member: Member?, with result: Result<ChangeAnswer, RegistryError>) {
        if case .failure(.logUnavailable) = result, let member { sendWhole(message, as: member) }
        state.claiming.withLock { claiming in
            claiming.planner.claimEnded(message)
            // If pages are left after all, a look at the outbox finds them.
            if case .success(.pagesClaimed(let claim)) = result, claim.claimed.isEmpty {
                claiming.shared.remove(message)
                claiming.unshared.remove(message)
            }
        }
        // After a failure the next look comes with the next tick.
        if case .success = result { planClaims() }
    }

    /// Sends a message as a whole that the log has refused to share, without an effect. Either the log cannot be
    /// reached, or a node of an older version would not understand the entry.
    private func sendWhole(_ message: MessageID, as member: Member) {
        let outboxEntry = state.claiming.withLock { claiming -> OutboxEntry? in
            guard claiming.unshared.remove(message) != nil, var outboxEntry = claiming.shared[message]?.outboxEntry
            else {
                return nil
            }
            claiming.shared.remove(message)
            outboxEntry.share = nil
            return outboxEntry
        }
        guard let outboxEntry else { return }
        delivery.step { engine in
            // The incarnation that held the message may be over.
            if sendingMember == member { engine.messageAccepted(outboxEntry, at: Clock.now()) }
        }
    }

    /// Ends blocks of pages: every recipient of them has an outcome on disk.
    ///
    /// While pages of a message are left to claim, or this node holds others, nothing depends on the end of a block. So
    /// the end waits for other changes, and both go into one entry of the log.
    func end(_ blocks: [(message: MessageID, pages: PageBlock)]) {
        var (deferrable, urgent) = ([DeliveryService.DeliveryChange](), [DeliveryService.DeliveryChange]())
        for (message, pages) in blocks {
            let isOpen = delivery.inspect { $0.contains(message) }
            let mayWait = state.claiming.withLock { claiming in
                let shared = claiming.shared[message]
                claiming.planner.pagesEnded(Int(shared?.full(pages.count) ?? pages.count), at: Clock.uptime())
                return isOpen || shared != nil
            }
            let write = DeliveryService.DeliveryChange.endOfBlock(pages, of: message)
            if mayWait { deferrable.append(write) } else { urgent.append(write) }
        }
        deferWrites(deferrable)
        if !urgent.isEmpty { delivery.write(urgent) }
    }

    // MARK: Deferred changes

    /// The longest time for which changes are deferred, in milliseconds. Gathered outcomes are written before that.
    private static let deferralMilliseconds = DeliveryService.minimumGatheringMilliseconds + 50

    /// Defers changes until others are written, but not long.
    private func deferWrites(_ writes: [DeliveryService.DeliveryChange]) {
        guard !writes.isEmpty else { return }
        let end = Clock.uptime().later(byMilliseconds: Self.deferralMilliseconds)
        guard state.claiming.withLock({ $0.deferWrites(writes, until: end) }) else { return }
        delivery.loop.scheduleTask(in: .milliseconds(Int64(Self.deferralMilliseconds))) { [weak delivery] in
            guard let delivery, let claims = delivery.claims else { return }
            delivery.submit(claims.takeDeferred(at: Clock.uptime()))
        }
    }

    /// Removes and returns the deferred changes, if their time is over.
    func takeDeferred(at now: Uptime = .max) -> [DeliveryService.DeliveryChange] {
        state.claiming.withLock { $0.takeDeferred(at: now) }
    }

    /// Releases pages that another member sends from now on. Called when no push of these pages is on the wire.
    private func releaseGivenUp() {
        let messages = state.claiming.withLock { $0.givenUp }
        guard !messages.isEmpty else { return }
        delivery.writeDeferred()
        for message in delivery.inspect({ engine in messages.filter { !engine.contains($0) } }) {
            delivery.registry.submit(.releasePages(message), deadline: nil) { [self] result in
                if case .success = result { _ = state.claiming.withLock { $0.givenUp.remove(message) } }
            }
        }
    }
}
