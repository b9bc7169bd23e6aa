import CarillonCore
import Testing

@testable import CarillonRegistry

struct UnreadableItemsTests {
    private let message = UnreadableItem.scheduled(MessageID(rawValue: 7))

    @Test func `an item is reported once`() {
        let reported = UnreadableReports()
        let items = UnreadableItems(report: reported.record)
        #expect(!items.contains(message))
        for _ in 1...2 { items.insert(message, because: "ends too early") }
        #expect(items.contains(message))
        items.rowFault(of: "expiry")([1, 2], "a version")
        #expect(items.contains(.row(table: "expiry", key: [1, 2])))
        #expect(reported.take() == ["scheduled message 7: ends too early", "a row of expiry: a version"])
    }

    @Test func `beyond ten thousand items none is remembered`() {
        let reported = UnreadableReports()
        let items = UnreadableItems(report: reported.record)
        for number in 1...10_000 { items.insert(.step("\(number)"), because: "a version") }
        items.insert(message, because: "a version")
        #expect(!items.contains(message))
        #expect(reported.take().count == 10_000)
    }

    @Test func `only an item that was not known is new to a sweep`() {
        let items = UnreadableItems(report: UnreadableReports().record)
        let step = UnreadableItem.step("events")
        let isNew = (1...2).map { _ in
            items.sweepBegan()
            items.sweepFailed(at: step, because: "a version")
            return items.hasNewItemOfSweep
        }
        #expect(isNew == [true, false])
        items.sweepBegan()
        #expect(!items.hasNewItemOfSweep)
    }
}
