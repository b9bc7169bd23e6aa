/// Whether the connection that is left to the interactive lane keeps up with it; while it does, the others leave the lane to it.
///
/// They are busy with bulk for milliseconds at a time, and what they took in such a moment would wait with it. But a
/// connection on which answers no longer come must not get every push of the lane until it is given up. Times are
/// milliseconds of uptime.
package struct InteractiveFlow: Sendable {
    /// Pushes without an answer from which on the others take their part.
    package static let waitingLimit = 128
    /// The longest time without any answer while one is awaited, after which they take it too.
    package static let patience: UInt64 = 1_000

    private var waiting = 0
    private var answers = 0
    private var movedAt: UInt64 = 0

    /// Makes that of a new connection.
    package init() {}

    /// At the end of a turn: whether it keeps up.
    ///
    /// - Parameters:
    ///   - answers: pushes answered since the connection was made.
    ///   - waiting: pushes that wait for an answer.
    ///   - canTake: whether the connection could take one more now.
    package mutating func turned(answers: Int, waiting: Int, canTake: Bool, at now: UInt64) -> Bool {
        if self.waiting == 0 || answers != self.answers { movedAt = now }
        (self.answers, self.waiting) = (answers, waiting)
        return canTake && waiting < Self.waitingLimit && now - min(now, movedAt) < Self.patience
    }
}
