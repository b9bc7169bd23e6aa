import CarillonCore
import Testing

@testable import CarillonDelivery

/// The pages in memory: what is counted of them, and the changes of devices that they do not show.
struct PageCacheTests {
    private let queue = OutboxQueue(lane: .bulk, app: AppID("com.example.game")!)
    private var cache = PageCache(limits: DeliveryEngine.Limits())

    private var device: AppDevice { AppDevice(app: queue.app, device: DeviceID(rawValue: 7)) }

    @Test mutating func aPageShowsOnlyTheChangesBeforeItsRead() {
        let before = cache.beginRead(of: queue)
        cache.deviceChanged(device)
        let after = cache.beginRead(of: queue)
        #expect([before, after].map { cache.hasChanged(device, since: $0) } == [true, false])
        cache.allDevicesChanged()
        #expect(cache.hasChanged(device, since: after))
    }

    @Test mutating func changesAreForgottenWithTheLastPage() {
        _ = cache.beginRead(of: queue)
        cache.deviceChanged(device)
        cache.forgetChangesIfEmpty()
        #expect(cache.changedCount == 1, "the page that is being read may lack the change")
        cache.endRead(of: queue)
        cache.forgetChangesIfEmpty()
        #expect(cache.changedCount == 0)
    }

    @Test mutating func suspendedPagesAreCountedUntilTheyResume() {
        for _ in 0..<3 { cache.pageSuspended() }
        cache.pagesResumed()
        #expect(cache.suspendedCount == 2)
        cache.pagesResumed(2)
        #expect(cache.suspendedCount == 0)
    }
}
