import CarillonCore
import Testing

@testable import CarillonDelivery

/// A page tracks the state of each recipient, and counts them.
struct PageRunTests {
    @Test func theCountsOfAPageMatchTheStatesOfItsRecipients() {
        var page = PageRun(EngineHarness.page(1...3, of: 1), sequence: 5)
        #expect((page.cost, page.unfinished) == (3, 0))

        for position: UInt16 in 0...2 { page.makeReady(position, .apnsProduction) }
        #expect((page.unfinished, page.hasReady(.apnsProduction), page.hasReady(.apnsSandbox)) == (3, true, false))
        let taken = [page.takeReady(.apnsSandbox), page.takeReady(.apnsProduction)]
        #expect(taken == [nil, 0])
        page.move(0, to: .inFlight)
        #expect(page.inFlight == 1)

        #expect(page.takeReady(.apnsProduction) == 1)
        page.move(1, to: .stale)
        #expect(page.stale == 1)

        page.move(0, to: .ended)
        page.move(0, to: .ended)
        #expect((page.unfinished, page.inFlight, page.stale) == (2, 0, 1))

        // It is left pending on disk.
        page.move(1, to: .untracked)
        #expect((page.unfinished, page.inFlight, page.stale) == (1, 0, 0))
    }

    @Test func aReturnedRecipientIsHandedOutFirst() {
        var page = PageRun(EngineHarness.page(1...3, of: 1), sequence: 5)
        page.makeReady(1, .apnsProduction)
        page.makeReady(2, .apnsProduction)
        page.makeReady(0, .apnsProduction, atFront: true)
        #expect([0, 1, 2].map { _ in page.takeReady(.apnsProduction) } == [0, 1, 2])
    }

    @Test func positionsOutsideThePageHaveNoRecipient() {
        var page = PageRun(EngineHarness.page([.init(device: 1)], of: 1, from: 9), sequence: 5)
        #expect(page.recipient(at: 9)?.index == 0)
        for position: UInt16 in [0, 8, 10, .max] {
            #expect(page.recipient(at: position) == nil)
            page.move(position, to: .ready)
            #expect(page.state(at: position) == .untracked)
            #expect(page.countAttempt(at: position) == .max)
        }
    }

    @Test func attemptCountStopsAt255() {
        var page = PageRun(EngineHarness.page(1...1, of: 1), sequence: 5)
        for attempt in 1...300 { #expect(page.countAttempt(at: 0) == min(attempt, 255)) }
    }

    @Test func reloadKeepsStatesAndAttempts() {
        var page = PageRun(EngineHarness.page(1...3, of: 1), sequence: 5)
        for position: UInt16 in 0...2 { page.move(position, to: position == 1 ? .inFlight : .stale) }
        _ = page.countAttempt(at: 2)

        // The first recipient is not pending any more.
        let again = EngineHarness.page([.init(device: 2), .init(device: 3, token: 9)], of: 1, from: 1)
        #expect(page.stalePositions() == [0, 2])
        page.reload(again, sequence: 8)
        #expect(page.sequence == 8)
        #expect(page.recipient(at: 0) == nil)
        #expect(page.recipient(at: 2)?.index == 1)
        #expect(page.state(at: 1) == .inFlight)
        #expect(page.countAttempt(at: 2) == 2)
        #expect(page.cost == 3)
    }

    @Test func aShrunkPageCostsOnlyItsUnfinishedRecipients() {
        var page = PageRun(EngineHarness.page(1...400, of: 1), sequence: 5)
        for position: UInt16 in 0..<400 { page.makeReady(position, .apnsProduction) }
        for position: UInt16 in 0..<400 {
            #expect(page.takeReady(.apnsProduction) == position)
            page.move(position, to: .inFlight)
        }
        _ = page.countAttempt(at: 250)
        for position: UInt16 in 0..<299 where position != 250 {
            page.end(.init(position: position, outcome: .delivered))
        }
        page.shrink()
        // Not yet; then because their outcomes wait to be written, and are being written.
        var costs = [page.cost, page.content.recipients.count]

        page.end(.init(position: 299, outcome: .delivered))
        page.end(.init(position: 300, outcome: .delivered))
        #expect((page.unfinished, page.inFlight) == (100, 100))
        page.shrink()
        costs.append(page.cost)
        #expect(page.takeRecord(PageKey(message: MessageID(rawValue: 1), page: 0), floor: 0)?.entries.count == 300)
        page.shrink()
        costs.append(page.cost)
        page.rowsRecorded(300)
        page.shrink()
        costs.append(page.cost)
        let positions = page.content.recipients.map(\.position)
        #expect(positions == [250] + Array(301..<400))
        let attempts = (page.state(at: 300), page.countAttempt(at: 250))
        #expect(attempts == (.untracked, 2))

        // It is read again, by a snapshot from before they were on disk.
        page.reload(EngineHarness.page(1...400, of: 1), sequence: 6)
        #expect([300, 399].map { page.recipient(at: $0)?.recipient.device?.rawValue } == [nil, 400])

        for position: UInt16 in 301..<398 { page.end(.init(position: position, outcome: .delivered)) }
        _ = page.takeRecord(PageKey(message: MessageID(rawValue: 1), page: 0), floor: 0)
        page.rowsRecorded(97)
        page.shrink()
        costs.append(page.cost)
        #expect(costs == [400, 400, 400, 400, 100, PageRun.minimumCost])
        page.reload(EngineHarness.page(1...400, of: 1), sequence: 7)
        #expect(page.content.recipients.map(\.position) == [250, 398, 399])
    }
}
