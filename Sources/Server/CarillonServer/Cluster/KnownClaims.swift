import CarillonClock
import CarillonCluster
import CarillonCore

/// Keeps what a node knows of claims: its incarnation, its claims, and the messages whose pages several nodes send.
struct KnownClaims {
    /// The node in its present incarnation; nil if it has none.
    var member: Member?
    var planner = ClaimPlanner(at: Clock.uptime())
    var sharedMessages = SharedMessages()
    /// Messages that this node holds as a whole, and that its first claim of pages will share.
    var toBeShared: Set<MessageID> = []
    /// Messages whose pages this node is to release, because another member has become their only sender.
    var givenUp: Set<MessageID> = []
    /// Ends of blocks and claims that are written with the next changes.
    private var deferred: [DeliveryService.OwnChange] = []
    /// The latest time at which `deferred` is written; nil if `deferred` is empty.
    private var deferredUntil: Uptime?

    /// Forgets everything: the incarnation is over.
    mutating func forget() {
        member = nil
        planner.forgetClaims()
        sharedMessages.removeAll()
        toBeShared = []
        givenUp = []
        _ = takeDeferred()
    }

    // MARK: Claims

    /// The messages with pages that may be claimed, without those that were given up: the release of their pages may be
    /// in the shared log already, and another member may have claimed the pages after it.
    var claimableMessages: [SharedMessages.Claimable] {
        sharedMessages.isEmpty ? [] : sharedMessages.all.filter { !givenUp.contains($0.outbound.id) }
    }

    /// Returns the claims to make now. The planner counts full pages; the returned claims count the pages of their
    /// messages, which may have fewer recipients.
    mutating func planClaims(
        among candidates: [ClaimPlanner.Candidate], nodes: Int, at now: Uptime
    ) -> [ClaimPlanner.Claim] {
        planner.makeClaims(among: candidates, nodes: nodes, at: now).map { claim in
            var claim = claim
            claim.pages = sharedMessages[claim.message]?.pages(for: claim.pages) ?? claim.pages
            return claim
        }
    }

    /// Counts a block that has ended. Returns true if other pages of its message are left to claim.
    mutating func blockEnded(_ pages: PageBlock, of message: MessageID, at now: Uptime) -> Bool {
        let known = sharedMessages[message]
        planner.pagesEnded(Int(known?.fullPages(for: pages.count) ?? pages.count), at: now)
        return known != nil
    }

    /// Removes a message that was to be shared, and returns it for sending as a whole; nil if it was not to be shared.
    mutating func takeUnshared(_ message: MessageID) -> OutboundMessage? {
        guard toBeShared.remove(message) != nil, var outbound = sharedMessages[message]?.outbound else {
            return nil
        }
        sharedMessages.remove(message)
        outbound.share = nil
        return outbound
    }

    /// Forgets a message that has no page to claim.
    mutating func forget(_ message: MessageID) {
        sharedMessages.remove(message)
        toBeShared.remove(message)
    }

    /// Gives up a message, because another member is its only sender: it is no longer claimed.
    mutating func giveUp(_ message: MessageID) {
        givenUp.insert(message)
        deferred.removeAll { change in
            guard case .claim(_, of: message) = change else { return false }
            planner.claimEnded(message)
            return true
        }
    }

    // MARK: Deferred changes

    /// Defers changes until `end`, or until the time of the changes that are deferred already. Returns true if there
    /// were none: the caller then schedules the write.
    mutating func deferChanges(_ changes: [DeliveryService.OwnChange], until end: Uptime) -> Bool {
        deferred += changes
        defer { deferredUntil = deferredUntil ?? end }
        return deferredUntil == nil
    }

    /// Removes and returns the deferred changes that are due by `now`; without a time, all of them.
    mutating func takeDeferred(at now: Uptime = .max) -> [DeliveryService.OwnChange] {
        guard let deferredUntil, deferredUntil <= now else { return [] }
        defer {
            deferred = []
            self.deferredUntil = nil
        }
        return deferred
    }
}
