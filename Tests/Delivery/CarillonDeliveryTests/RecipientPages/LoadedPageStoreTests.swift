import CarillonCore
import Testing

@testable import CarillonDelivery

/// The pages in memory: what is counted of them, and the changes of devices that they do not show.
struct LoadedPageStoreTests {
    private let queue = OutboxQueue(lane: .bulk, app: AppID("com.example.game")!)
    private var pages = LoadedPageStore(limits: DeliveryEngine.Limits())

    private var device: AppDevice { AppDevice(app: queue.app, device: DeviceID(rawValue: 7)) }

    @Test mutating func `a page shows only the changes before its read`() {
        let before = pages.beginRead(of: queue)
        pages.deviceChanged(device)
        let after = pages.beginRead(of: queue)
        #expect([before, after].map { pages.hasChanged(device, since: $0) } == [true, false])
        pages.allDevicesChanged()
        #expect(pages.hasChanged(device, since: after))
    }

    @Test mutating func `changes are forgotten with the last page`() {
        _ = pages.beginRead(of: queue)
        pages.deviceChanged(device)
        pages.forgetChangesIfEmpty()
        #expect(pages.changedCount == 1, "the page that is being read may lack the change")
        pages.endRead(of: queue)
        pages.forgetChangesIfEmpty()
        #expect(pages.changedCount == 0)
    }

    @Test mutating func `suspended pages are counted until they resume`() {
        for _ in 0..<3 { pages.pageSuspended() }
        pages.pagesResumed()
        #expect(pages.suspendedCount == 2)
        pages.pagesResumed(2)
        #expect(pages.suspendedCount == 0)
    }
}
