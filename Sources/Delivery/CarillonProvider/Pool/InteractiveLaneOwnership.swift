package import CarillonCore
import Synchronization

/// One connection's part in the interactive lane: whether it carries bulk too, and whether it owns the whole lane now.
///
/// The reserved connection (`ReservedConnection`) carries no bulk. It owns the lane while it keeps up with it, and the
/// other connections leave the lane alone. They are busy with bulk for milliseconds at a time, and a push that they
/// took would wait with it. A connection whose answers have stopped must not get every push of the lane until it is
/// given up, so it loses the lane after `stallMilliseconds`.
package struct InteractiveLaneOwnership: ~Copyable {
    /// A flag that is set while a connection of the pool owns the interactive lane. That connection writes it, all of
    /// them read it.
    package final class Flag: Sendable {
        private let value = Atomic<Bool>(false)

        package init() {}

        /// True if the flag is set. A value that is a moment old does no harm: what one connection leaves in the queue,
        /// another takes.
        fileprivate var isSet: Bool { value.load(ordering: .relaxed) }

        fileprivate func set() { value.store(true, ordering: .relaxed) }

        /// Clears the flag; returns true if it was set.
        fileprivate func clear() -> Bool { value.exchange(false, ordering: .relaxed) }
    }

    /// The other connections share the lane once this many pushes are unanswered.
    package static let maximumUnanswered = 128
    /// The longest time without an answer, while one is awaited, after which the other connections share the lane.
    package static let stallMilliseconds: UInt64 = 1_000

    private let flag: Flag
    /// True if the connection takes pushes of the bulk lane too: every connection but the reserved one.
    package private(set) var carriesBulk = true
    private var unanswered = 0
    private var answers = 0
    private var lastProgress: Uptime = 0

    /// Makes the part of a new connection, which carries bulk.
    ///
    /// - Parameter flag: the flag that all connections of the pool share.
    package init(_ flag: Flag) {
        self.flag = flag
    }

    /// True if this connection takes nothing of the interactive lane, because the reserved connection owns it.
    package var isLeftToOwner: Bool { carriesBulk && flag.isSet }

    /// Changes whether the connection carries bulk. Returns true if it has given up the lane: the others must then take
    /// from it.
    package mutating func setCarriesBulk(_ carriesBulk: Bool) -> Bool {
        self.carriesBulk = carriesBulk
        return carriesBulk && flag.clear()
    }

    /// Gives up the lane, because the connection takes no new work. Returns true if it had the lane.
    package func release() -> Bool { !carriesBulk && flag.clear() }

    /// Lets the reserved connection take the lane, keep it, or give it up at the end of a cycle. Returns true if it has
    /// given up the lane.
    ///
    /// - Parameters:
    ///   - answers: pushes answered since the connection was made.
    ///   - unanswered: pushes that wait for an answer.
    ///   - canSubmit: true if the connection could take one more push now.
    package mutating func cycleEnded(answers: Int, unanswered: Int, canSubmit: Bool, at now: Uptime) -> Bool {
        guard updateProgress(answers: answers, unanswered: unanswered, canSubmit: canSubmit, at: now) else {
            return flag.clear()
        }
        flag.set()
        return false
    }

    /// Takes the progress of the connection; returns true if it keeps up with the lane.
    private mutating func updateProgress(answers: Int, unanswered: Int, canSubmit: Bool, at now: Uptime) -> Bool {
        if self.unanswered == 0 || answers != self.answers { lastProgress = now }
        self.answers = answers
        self.unanswered = unanswered
        return canSubmit && unanswered < Self.maximumUnanswered
            && now.milliseconds(since: lastProgress) < Self.stallMilliseconds
    }
}
