import CarillonClock
import CarillonCluster
import CarillonCore

/// The incarnation of a node, its claims, and the messages whose pages several nodes send, as the node knows them.
struct Claiming {
    /// The node in its present incarnation; nil if it has none.
    var member: Member?
    var planner = ClaimPlanner(at: Clock.uptime())
    var shared = SharedMessages()
    /// Messages that this node holds as a whole, and whose first claim of pages is to share them.
    var unshared: Set<MessageID> = []
    /// Messages whose pages are to be released, because another member is their only sender.
    var givenUp: Set<MessageID> = []
    /// Ends of blocks and claims that are written with the next changes.
    private var held: [DeliveryService.Write] = []
    /// The latest time at which `held` is written; nil if `held` is empty.
    private var heldUntil: Uptime?

    /// The messages of which pages may be claimed. A message whose pages are to be released is left out: the release
    /// may be in the log already, and another member may have claimed the pages behind it.
    var claimable: [SharedMessages.ClaimableMessage] {
        shared.isEmpty ? [] : shared.all.filter { !givenUp.contains($0.outboxEntry.id) }
    }

    /// Forgets everything: the incarnation is over.
    mutating func forget() {
        member = nil
        planner.forgetClaims()
        shared.removeAll()
        unshared = []
        givenUp = []
        _ = takeHeld()
    }

    /// Holds changes, the first of them until a time. Returns true if nothing was held before.
    mutating func hold(_ writes: [DeliveryService.Write], until end: Uptime) -> Bool {
        held += writes
        defer { heldUntil = heldUntil ?? end }
        return heldUntil == nil
    }

    /// Removes and returns the changes that are held, if their time is over.
    mutating func takeHeld(at now: Uptime = .max) -> [DeliveryService.Write] {
        guard let heldUntil, heldUntil <= now else { return [] }
        defer { (held, self.heldUntil) = ([], nil) }
        return held
    }

    /// Gives up a message, because another member is its only sender: nothing of it is claimed any more.
    mutating func giveUp(_ message: MessageID) {
        givenUp.insert(message)
        held.removeAll { write in
            guard case .claim(_, of: message) = write else { return false }
            planner.claimEnded(message)
            return true
        }
    }
}
