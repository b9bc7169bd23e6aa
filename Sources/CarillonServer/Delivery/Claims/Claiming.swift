import CarillonClock
import CarillonCluster
import CarillonCore

/// What a node knows of its incarnation, of its claims, and of messages whose pages several nodes send.
struct Claiming {
    /// The node in its present incarnation; nil if it has none.
    var member: Member?
    var planner = ClaimPlanner(at: Clock.uptime())
    var shared = SharedMessages()
    /// Messages that this node holds as a whole, and whose first claim of pages is to share them.
    var unshared: Set<MessageID> = []
    /// Messages whose pages are to be released, because another member is their only sender.
    var givenUp: Set<MessageID> = []
    /// Ends of blocks and claims that go with what is written next.
    private var held: [DeliveryService.Write] = []
    /// When they are written at the latest; nil if there are none.
    private var heldUntil: Uptime?

    /// What may be claimed. A message whose pages are to be released is left out: the release may be in the log
    /// already, and another member may have claimed the pages behind it.
    var claimable: [SharedMessages.ClaimableMessage] {
        shared.isEmpty ? [] : shared.all.filter { !givenUp.contains($0.entry.id) }
    }

    /// The incarnation is over.
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

    /// Removes and returns what is held, if the time is over.
    mutating func takeHeld(at now: Uptime = .max) -> [DeliveryService.Write] {
        guard let heldUntil, heldUntil <= now else { return [] }
        defer { (held, self.heldUntil) = ([], nil) }
        return held
    }

    /// Another member is the only sender of a message: nothing of it is claimed.
    mutating func giveUp(_ message: MessageID) {
        givenUp.insert(message)
        held.removeAll { write in
            guard case .claim(_, of: message) = write else { return false }
            planner.claimEnded(message)
            return true
        }
    }
}
