import Synchronization

/// A count that the tasks of the program raise and the event loop reads.
final class TakenCount: Sendable {
    private let count = Atomic(0)

    /// The number of elements taken so far.
    var value: Int { count.load(ordering: .acquiring) }

    /// Counts one more element.
    func increment() { count.add(1, ordering: .acquiringAndReleasing) }
}
