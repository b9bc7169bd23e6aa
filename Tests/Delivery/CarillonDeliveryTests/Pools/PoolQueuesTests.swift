import CarillonCore
import Testing

@testable import CarillonDelivery

/// Pages wait for a pool in the order in which they came, each lane for itself.
struct PoolQueuesTests {
    private static let pool = PoolKey.production
    private var queues = PoolQueues()
    private let pages = LoadedPageStore(limits: DeliveryEngine.Limits())

    /// A page that is checked out.
    private func makePage() -> LoadedPage { LoadedPage(EngineHarness.page(1...3, of: 1), sequence: 1) }

    private func key(_ page: UInt32) -> PageKey { PageKey(message: MessageID(rawValue: 1), page: page) }

    /// Appends a new page to a queue.
    private mutating func enqueue(_ number: UInt32, lane: Lane = .bulk) {
        var page = makePage()
        queues.enqueue(key(number), loaded: &page, lane: lane, pool: Self.pool, among: pages)
    }

    @Test mutating func `pages leave a queue in the order in which they came`() {
        for number: UInt32 in [3, 1, 2] { enqueue(number) }
        let left = (1...4).map { _ in queues.dequeue(lane: .bulk, pool: Self.pool)?.page }
        #expect(left == [3, 1, 2, nil])
    }

    @Test mutating func `a page waits once for a pool`() {
        var page = makePage()
        for _ in 1...2 { queues.enqueue(key(7), loaded: &page, lane: .bulk, pool: Self.pool, among: pages) }
        #expect(queues.count == 1)
        queues.enqueue(key(7), loaded: &page, lane: .bulk, pool: PoolKey.sandbox, among: pages)
        #expect(queues.count == 2, "once for each pool")
    }

    @Test mutating func `lanes and pools have queues of their own`() {
        enqueue(1, lane: .interactive)
        #expect(queues.hasPages(for: Self.pool))
        #expect(!queues.hasPages(for: PoolKey.sandbox))
        let left = Lane.allCases.map { queues.dequeue(lane: $0, pool: Self.pool)?.page }
        #expect(left == Lane.allCases.map { $0 == .interactive ? 1 : nil })
    }

    @Test mutating func `removed pages leave their queues`() {
        for number: UInt32 in 1...3 { enqueue(number) }
        queues.remove(key(2), lane: .bulk, pool: Self.pool)
        #expect(queues.count == 2)
        queues.removeAll(of: Self.pool)
        #expect(!queues.hasPages(for: Self.pool))
    }

    /// The pages have left the memory, but for the one that comes.
    @Test mutating func `the keys of pages that have left the memory do not accumulate`() {
        let most = PoolQueues.minimumQueuedBeforeRemoval
        for number in 1...UInt32(most) { enqueue(number) }
        #expect(queues.count == most)
        enqueue(1_000)
        #expect(queues.count == 1)
    }
}
