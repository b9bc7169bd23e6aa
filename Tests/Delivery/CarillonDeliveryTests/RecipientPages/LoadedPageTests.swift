import CarillonCore
import Testing

@testable import CarillonDelivery

/// A page tracks the state of each recipient, and counts them.
struct LoadedPageTests {
    @Test func `a page counts the recipients that are ready or in flight`() {
        var page = LoadedPage(EngineHarness.page(1...3, of: 1), sequence: 5)
        #expect(page.countedRecipients == 3)
        #expect(page.unfinishedCount == 0)

        for position: UInt16 in 0...2 { page.makeReady(position, for: .apnsProduction) }
        #expect(page.unfinishedCount == 3)
        #expect(page.hasReady(.apnsProduction))
        #expect(!page.hasReady(.apnsSandbox))
        let taken = [page.takeReady(.apnsSandbox), page.takeReady(.apnsProduction)]
        #expect(taken == [nil, 0])
        page.move(0, to: .inFlight)
        #expect(page.inFlightCount == 1)
    }

    @Test func `a page counts each end and each changed device once`() {
        var page = LoadedPage(EngineHarness.page(1...3, of: 1), sequence: 5)
        for position: UInt16 in 0...2 { page.makeReady(position, for: .apnsProduction) }
        page.move(0, to: .inFlight)
        page.move(1, to: .deviceChanged)
        #expect(page.changedCount == 1)

        page.move(0, to: .ended)
        page.move(0, to: .ended)
        #expect(page.unfinishedCount == 2)
        #expect(page.inFlightCount == 0)
        #expect(page.changedCount == 1)

        // It is kept on disk.
        page.move(1, to: .untracked)
        #expect(page.unfinishedCount == 1)
        #expect(page.inFlightCount == 0)
        #expect(page.changedCount == 0)
    }

    @Test func `a returned recipient is handed out first`() {
        var page = LoadedPage(EngineHarness.page(1...3, of: 1), sequence: 5)
        page.makeReady(1, for: .apnsProduction)
        page.makeReady(2, for: .apnsProduction)
        page.makeReady(0, for: .apnsProduction, atFront: true)
        #expect([0, 1, 2].map { _ in page.takeReady(.apnsProduction) } == [0, 1, 2])
    }

    @Test func `positions outside the page have no recipient`() {
        var page = LoadedPage(EngineHarness.page([.init(device: 1)], of: 1, from: 9), sequence: 5)
        #expect(page.recipient(at: 9)?.index == 0)
        for position: UInt16 in [0, 8, 10, .max] {
            #expect(page.recipient(at: position) == nil)
            page.move(position, to: .ready)
            #expect(page.state(at: position) == .untracked)
            #expect(page.countAttempt(at: position) == .max)
        }
    }

    @Test func `the count of attempts stops at 255`() {
        var page = LoadedPage(EngineHarness.page(1...1, of: 1), sequence: 5)
        for attempt in 1...300 { #expect(page.countAttempt(at: 0) == min(attempt, 255)) }
    }

    @Test func `a reload keeps states and attempts`() {
        var page = LoadedPage(EngineHarness.page(1...3, of: 1), sequence: 5)
        for position: UInt16 in 0...2 { page.move(position, to: position == 1 ? .inFlight : .deviceChanged) }
        _ = page.countAttempt(at: 2)

        // The first recipient is not pending any more.
        let again = EngineHarness.page([.init(device: 2), .init(device: 3, token: 9)], of: 1, from: 1)
        #expect(page.changedPositions() == [0, 2])
        page.reload(again, sequence: 8)
        #expect(page.sequence == 8)
        #expect(page.recipient(at: 0) == nil)
        #expect(page.recipient(at: 2)?.index == 1)
        #expect(page.state(at: 1) == .inFlight)
        #expect(page.countAttempt(at: 2) == 2)
        #expect(page.countedRecipients == 3)
    }

    // MARK: Memory

    private static let key = PageKey(message: MessageID(rawValue: 1), page: 0)

    /// Returns a page of 400 recipients, all in flight.
    private func pageInFlight() -> LoadedPage {
        var page = LoadedPage(EngineHarness.page(1...400, of: 1), sequence: 5)
        for position: UInt16 in 0..<400 { page.move(position, to: .inFlight) }
        return page
    }

    /// Delivers recipients, and has their outcomes written.
    private func deliver(_ positions: some Sequence<UInt16>, of page: inout LoadedPage) {
        for position in positions { page.end(.init(position: position, outcome: .delivered)) }
        page.rowsRecorded(page.takeRecord(Self.key, firstPendingPage: 0)?.count ?? 0)
    }

    @Test func `a page of which more than a quarter is unfinished does not shrink`() {
        var page = pageInFlight()
        deliver(0..<299, of: &page)
        page.shrink()
        #expect(page.countedRecipients == 400)
        #expect(page.content.recipients.count == 400)
    }

    @Test func `outcomes count until they are on disk`() {
        var page = pageInFlight()
        for position: UInt16 in 0..<300 { page.end(.init(position: position, outcome: .delivered)) }
        page.shrink()
        #expect(page.countedRecipients == 400, "they wait to be written")
        let record = page.takeRecord(Self.key, firstPendingPage: 0)
        page.shrink()
        #expect(page.countedRecipients == 400, "they are being written")
        page.rowsRecorded(record?.count ?? 0)
        page.shrink()
        #expect(page.countedRecipients == 100)
    }

    @Test func `a shrunk page keeps its unfinished recipients`() {
        var page = pageInFlight()
        _ = page.countAttempt(at: 350)
        deliver(0..<300, of: &page)
        page.shrink()
        #expect(page.content.recipients.map(\.position) == Array(300..<400))
        #expect(page.state(at: 299) == .untracked)
        #expect(page.state(at: 350) == .inFlight)
        let attempts = page.countAttempt(at: 350)
        #expect(attempts == 2)
    }

    @Test func `a page never counts for less than the minimum`() {
        var page = pageInFlight()
        deliver(0..<399, of: &page)
        page.shrink()
        #expect(page.countedRecipients == LoadedPage.minimumCounted)
        #expect(page.content.recipients.map(\.position) == [399])
    }

    /// The page is read by a snapshot from before the outcomes were on disk.
    @Test func `a shrunk page that is read again takes back no recipient that has ended`() {
        var page = pageInFlight()
        deliver(0..<398, of: &page)
        page.shrink()
        page.reload(EngineHarness.page(1...400, of: 1), sequence: 6)
        #expect(page.recipient(at: 397) == nil)
        #expect(page.recipient(at: 399)?.recipient.device?.rawValue == 400)
        #expect(page.content.recipients.map(\.position) == [398, 399])
    }
}
