import CarillonCore
import DequeModule

/// The queues in which pages wait for a pool: one for each lane of a pool.
struct PoolQueues: Sendable {
    /// The name of a queue.
    private struct Key: Hashable {
        var lane: Lane
        var pool: PoolKey
    }

    private var queues: [Key: Deque<PageKey>] = [:]

    /// The most entries of a queue that is not searched for keys of pages that have left the memory.
    static let minimumQueuedBeforeRemoval = 64

    func hasPages(for pool: PoolKey) -> Bool {
        Lane.allCases.contains { queues[Key(lane: $0, pool: pool)]?.isEmpty == false }
    }

    /// The number of entries in all queues: a page is counted once for each pool that it waits for.
    var count: Int { queues.values.reduce(0) { $0 + $1.count } }

    /// Appends a page that is checked out to the queue of a pool, if it is not there already.
    mutating func enqueue(
        _ key: PageKey, loaded: inout LoadedPage, lane: Lane, pool: PoolKey, among pages: LoadedPageStore
    ) {
        guard loaded.enterQueue(of: pool.destination) else { return }
        let queue = Key(lane: lane, pool: pool)
        queues[queue, default: []].append(key)
        let count = queues[queue]?.count ?? 0
        // The keys of pages that have left the memory are removed, because a pool that never pulls must not collect
        // them.
        guard count > Self.minimumQueuedBeforeRemoval, count > 2 * pages.count else { return }
        // The page is checked out, so it is not in `pages` now.
        queues[queue]?.removeAll { $0 != key && !pages.isQueued($0, for: pool.destination) }
    }

    /// Removes and returns the first page of a queue; the page may have left the memory since.
    mutating func dequeue(lane: Lane, pool: PoolKey) -> PageKey? {
        queues[Key(lane: lane, pool: pool)]?.popFirst()
    }

    mutating func remove(_ key: PageKey, lane: Lane, pool: PoolKey) {
        queues[Key(lane: lane, pool: pool)]?.removeAll { $0 == key }
    }

    mutating func removeAll(of pool: PoolKey) {
        for lane in Lane.allCases { queues[Key(lane: lane, pool: pool)] = nil }
    }

    mutating func removeAll() {
        queues.removeAll()
    }
}
