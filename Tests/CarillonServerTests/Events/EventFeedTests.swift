import CarillonCore
import CarillonWire
import Testing

@testable import CarillonServer

/// The feed of a subscription, which reads page after page and sends each event once, in order.
struct EventFeedTests {
    private let app = AppID("com.example.game")!

    private func event(_ sequence: UInt64) -> Event {
        Event(sequence: sequence, at: .zero, kind: .messageFinished, app: app)
    }

    private func makeFeed() -> EventFeed {
        EventFeed(of: "client", subscriber: nil, filter: EventFilter(), after: 40)
    }

    private func beginReading(_ feed: inout EventFeed, newest: UInt64) -> Bool {
        feed.beginReading(newest: newest)
    }

    /// Returns the numbers of the events that are sent while `limit` allows.
    private func send(_ feed: inout EventFeed, limit: Int = 100) -> [UInt64] {
        var sent: [UInt64] = []
        feed.sendUnsent { notice in
            guard sent.count < limit else { return false }
            sent.append(notice.sequence)
            return true
        }
        return sent
    }

    @Test func aPageIsReadOnlyWhenTheLastOneWasSent() {
        var feed = makeFeed()
        #expect(!beginReading(&feed, newest: 40), "there is nothing newer")
        #expect(beginReading(&feed, newest: 43))
        #expect(!beginReading(&feed, newest: 43), "a read is under way")
        feed.pageRead(EventPage(events: [event(41), event(43)], upTo: 43, hasMore: false), at: .zero)
        #expect(!beginReading(&feed, newest: 50), "the page is not sent")
        #expect(send(&feed, limit: 1) == [41])
        #expect(send(&feed) == [43])
        #expect(feed.readUpTo == 43)
        #expect(beginReading(&feed, newest: 50))
    }

    @Test func aPageThatCannotBeReadIsReadAgain() {
        var feed = makeFeed()
        #expect(beginReading(&feed, newest: 43))
        feed.pageRead(nil, at: .zero)
        #expect(feed.readUpTo == 40)
        #expect(beginReading(&feed, newest: 43))
    }

    @Test func aGapComesBeforeTheEventsBehindIt() {
        var feed = makeFeed()
        feed.pageRead(EventPage(events: [event(51)], upTo: 51, hasMore: false, missed: 41..<50), at: .zero)
        var kinds: [Bool] = []
        feed.sendUnsent { notice in
            if case .gap = notice { kinds.append(true) } else { kinds.append(false) }
            return true
        }
        #expect(kinds == [true, false])
    }
}
