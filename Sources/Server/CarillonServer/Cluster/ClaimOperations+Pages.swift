import CarillonClock
import CarillonCluster
import CarillonCore
import CarillonDelivery
import NIOCore
import Synchronization

/// Begins the messages that this node sends, claims pages of them, and ends its blocks.
extension ClaimOperations {
    // MARK: The beginning of a message

    /// Begins with a message that this node holds, as a whole or in part.
    func startSending(_ outbound: OutboundMessage) {
        if state.known.withLock({ $0.givenUp.contains(outbound.id) }) { return }
        guard !delivery.readEngine({ isToBeShared(outbound, in: $0) }) else { return share(outbound) }
        var outbound = outbound
        if outbound.share?.blocks == nil { outbound.share = nil }
        delivery.passMessageToEngine(outbound)
    }

    /// Begins to share the messages that several nodes will send. Returns the others, without those that were given up.
    ///
    /// - Parameters:
    ///   - messages: messages of this node, as they were read from the outbox.
    ///   - member: the member that this node was before the read; nil if it was none.
    func messagesToSend(
        among messages: [OutboundMessage], readAs member: Member?, in engine: DeliveryEngine
    ) -> [OutboundMessage] {
        // Another member may send these messages by now. A new incarnation claims its messages anew.
        guard let member, sendingMember == member else { return [] }
        let givenUp = state.known.withLock { $0.givenUp }
        return messages.filter { outbound in
            guard !isToBeShared(outbound, in: engine) else {
                share(outbound)
                return false
            }
            return !givenUp.contains(outbound.id)
        }
    }

    /// Returns true if this node must share the message before it sends any of it. A message that it is sending already
    /// stays whole.
    private func isToBeShared(_ outbound: OutboundMessage, in engine: DeliveryEngine) -> Bool {
        guard let share = outbound.share else { return false }
        return share.blocks == nil && !engine.contains(outbound.id)
    }

    /// Begins to share a message that this node holds as a whole. The other nodes learn of it from the first claim of
    /// its pages.
    private func share(_ outbound: OutboundMessage) {
        state.known.withLock { known in
            known.sharedMessages.noteOwn(outbound, pagesLeft: outbound.share?.pages ?? 0)
            known.toBeShared.insert(outbound.id)
        }
        planClaimsSoon()
    }

    /// Sends a message as a whole, because the claim that was to share it was refused and has no effect. Either the
    /// log database cannot be reached, or a node of an older version would not understand the entry.
    private func sendAsWhole(_ message: MessageID, as member: Member) {
        guard let outbound = state.known.withLock({ $0.takeUnshared(message) }) else { return }
        delivery.callEngine { engine in
            // The incarnation that held the message may be over.
            if sendingMember == member { engine.messageAccepted(outbound, at: Clock.now()) }
        }
    }

    // MARK: Claims

    /// Plans claims in a later call of the event loop: once, however often this is called until then.
    func planClaimsSoon() {
        guard !state.isPlanScheduled.exchange(true, ordering: .acquiring) else { return }
        delivery.loop.execute { [weak delivery] in delivery?.claims?.claimPages() }
    }

    /// Claims pages of shared messages, if the node needs more pages.
    private func claimPages() {
        state.isPlanScheduled.store(false, ordering: .releasing)
        guard node.mayAct, sendingMember != nil, let live = node.membership?.live else { return }
        let messages = state.known.withLock { $0.claimableMessages }
        guard !messages.isEmpty else { return }
        let now = Clock.now()
        let candidates = findCandidates(among: messages, at: now)
        let claims = state.known.withLock { known in
            known.planClaims(among: candidates, nodes: live.members.count, at: now.uptime)
        }
        write(claims.map { ScheduledChange(change: .claim($0.pages, of: $0.message), mayWait: $0.mayWait) })
    }

    /// Returns the messages with pages that this node can send now, counted in full pages.
    private func findCandidates(
        among messages: [SharedMessages.Claimable], at now: Moment
    ) -> [ClaimPlanner.Candidate] {
        delivery.readEngine { engine in
            messages.compactMap { message in
                let summary = engine.summary(ofShared: message.outbound, at: now)
                guard summary.canEnd else { return nil }
                return ClaimPlanner.Candidate(
                    message: message.outbound.id, claimablePages: message.fullPages(for: message.pagesLeft),
                    pagesNotBegun: message.fullPages(for: summary.unreadPageCount), isIdle: summary.isIdle)
            }
        }
    }

    /// Called when a claim was answered or has failed. Plans the next ones.
    ///
    /// - Parameter member: the incarnation that made the claim.
    func claimEnded(of message: MessageID, as member: Member?, with result: Result<ChangeAnswer, RegistryError>) {
        if case .failure(.logUnavailable) = result, let member { sendAsWhole(message, as: member) }
        state.known.withLock { known in
            known.planner.claimEnded(message)
            // If there are pages left, the next read of the outbox finds them.
            if case .success(.pagesClaimed(let claim)) = result, claim.claimed.isEmpty { known.forget(message) }
        }
        // After a failure the next tick plans again.
        if case .success = result { planClaimsSoon() }
    }

    /// Called when a claim of pages is in the shared log. Sends the pages if this node has claimed them.
    ///
    /// - Parameter own: the message as this node sends it; nil if another node has made the claim.
    func pagesClaimed(_ claim: PageClaim, own: OutboundMessage?) {
        guard let outbound = claim.outbound else { return }
        let isGivenUp = state.known.withLock { known in
            known.sharedMessages.note(own ?? outbound, pagesLeft: claim.pagesLeft)
            if own != nil { known.toBeShared.remove(outbound.id) }
            return known.givenUp.contains(outbound.id)
        }
        if let own, !isGivenUp {
            // A message that can no longer be shared is sent as a whole.
            guard own.share?.blocks != nil else { return delivery.passMessageToEngine(own) }
            delivery.callEngine { $0.pagesClaimed(claim.claimed, of: own, at: Clock.now()) }
        }
        planClaimsSoon()
    }

    // MARK: Ends

    /// Forgets a message that has an outcome for every recipient.
    func messageFinished(_ message: MessageID) { state.known.withLock { $0.sharedMessages.remove(message) } }

    /// Writes the ends of blocks of pages. Every recipient of these pages has an outcome on disk.
    ///
    /// The end of a block is not urgent while pages of its message are left to claim, or while this node still sends
    /// other pages of it. Such an end waits for other changes, and is written with them as one entry.
    func end(_ blocks: [(message: MessageID, pages: PageBlock)]) {
        write(
            blocks.map { message, pages in
                let isInMemory = delivery.readEngine { $0.contains(message) }
                let arePagesLeft = state.known.withLock { $0.blockEnded(pages, of: message, at: Clock.uptime()) }
                return ScheduledChange(change: .endOfBlock(pages, of: message), mayWait: isInMemory || arePagesLeft)
            })
    }

    // MARK: Writing

    /// A change that is written at once, or with other changes.
    private struct ScheduledChange {
        let change: DeliveryService.OwnChange
        /// True if the change may wait for others.
        let mayWait: Bool
    }

    /// How long changes are deferred at most, in milliseconds. Buffered outcomes are written sooner, and the deferred
    /// changes with them.
    private static let deferralMilliseconds = DeliveryService.minimumBufferMilliseconds + 50

    /// Writes the urgent changes now, and with them those that may wait. If none is urgent, all wait a short time for
    /// other changes.
    private func write(_ changes: [ScheduledChange]) {
        deferChanges(changes.filter(\.mayWait).map(\.change))
        let urgent = changes.filter { !$0.mayWait }.map(\.change)
        if !urgent.isEmpty { delivery.write(urgent) }
    }

    private func deferChanges(_ changes: [DeliveryService.OwnChange]) {
        guard !changes.isEmpty else { return }
        let end = Clock.uptime().later(byMilliseconds: Self.deferralMilliseconds)
        guard state.known.withLock({ $0.deferChanges(changes, until: end) }) else { return }
        delivery.loop.scheduleTask(in: .milliseconds(Int64(Self.deferralMilliseconds))) { [weak delivery] in
            guard let delivery, let claims = delivery.claims else { return }
            delivery.submit(claims.takeDeferred(at: Clock.uptime()))
        }
    }

    /// Removes and returns the deferred changes that are due by `now`; without a time, all of them.
    func takeDeferred(at now: Uptime = .max) -> [DeliveryService.OwnChange] {
        state.known.withLock { $0.takeDeferred(at: now) }
    }
}
