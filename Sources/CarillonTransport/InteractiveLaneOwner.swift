import Synchronization

/// Whether one connection of a pool takes the whole interactive lane now: written by that connection, read by all in each turn.
final class InteractiveLaneOwner: Sendable {
    private let isFilledNow = Atomic<Bool>(false)

    /// Whether it is; an answer that is a moment old does no harm, for what one leaves the other takes.
    var isFilled: Bool { isFilledNow.load(ordering: .relaxed) }

    /// Says whether it is; true if it was before and is not any more.
    func fill(_ isFilled: Bool) -> Bool {
        isFilledNow.exchange(isFilled, ordering: .relaxed) && !isFilled
    }
}
