import CarillonCore
import Testing

@testable import CarillonDelivery

/// The timers of pages: the earliest comes first, and those of pages that have ended do not collect.
struct PageTimersTests {
    private var timers = PageTimers()

    private func key(_ page: UInt32) -> PageKey { PageKey(message: MessageID(rawValue: 1), page: page) }

    @Test mutating func `timers are taken when they are due, the earliest first`() {
        for (page, due): (UInt32, Uptime) in [(1, 300), (2, 100), (3, 200)] { timers.add(key(page), at: due) }
        #expect(timers.next == 100)
        let early = timers.takeDue(at: 99)
        let due = (1...3).map { _ in timers.takeDue(at: 200)?.page }
        #expect(early == nil)
        #expect(due == [2, 3, nil])
        #expect(timers.next == 300)
    }

    /// No message is in memory, so each page has ended.
    @Test mutating func `many timers of pages that have ended are removed`() {
        for page in 1...UInt32(PageTimers.minimumTimersBeforeRemoval) { timers.add(key(page), at: 1) }
        #expect(!timers.isRemovalDue)
        timers.add(key(0), at: 1)
        #expect(timers.isRemovalDue)
        timers.removeTimersOfEndedPages(among: LoadedMessageStore(limits: DeliveryEngine.Limits()))
        #expect(timers.count == 0)
    }
}
