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
    private var deferred: [DeliveryService.DeliveryChange] = []
    /// The latest time at which `deferred` is written; nil if `deferred` is empty.
    private var deferredUntil: Uptime?

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
        _ = takeDeferred()
    }

    /// Defers changes, the first of them until a time. Returns true if none was deferred before.
    mutating func deferWrites(_ writes: [DeliveryService.DeliveryChange], until end: Uptime) -> Bool {
        deferred += writes
        defer { deferredUntil = deferredUntil ?? end }
        return deferredUntil == nil
    }

    /// Removes and returns the deferred changes, if their time is over.
    mutating func takeDeferred(at now: Uptime = .max) -> [DeliveryService.DeliveryChange] {
        guard let deferredUntil, deferredUntil <= now else { return [] }
        defer { (deferred, self.deferredUntil) = ([], nil) }
        return deferred
    }

    /// Gives up a message, because another member is its only sender: nothing of it is claimed any more.
    mutating func giveUp(_ message: MessageID) {
        givenUp.insert(message)
        deferred.removeAll { write in
            guard case .claim(_, of: message) = write else { return false }
            planner.claimEnded(message)
            return true
        }
    }
}
