import CarillonCore
import CarillonTestKit
import CarillonWire
import Testing

@testable import CarillonServer

/// A subscription of events on the server, which reads page after page and sends each event once, in order.
struct EventSubscriptionTests {
    private let app = TestApps.game

    private func event(_ sequence: UInt64) -> Event {
        Event(sequence: sequence, at: .zero, kind: .messageFinished, app: app)
    }

    private func makeSubscription() -> EventSubscription {
        EventSubscription(of: "client", subscriber: nil, filter: EventFilter(), after: 40)
    }

    private func beginReading(_ subscription: inout EventSubscription, newest: UInt64) -> Bool {
        subscription.beginReading(newest: newest)
    }

    /// Returns the numbers of the events that are sent while `limit` allows.
    private func send(_ subscription: inout EventSubscription, limit: Int = 100) -> [UInt64] {
        var sent: [UInt64] = []
        subscription.sendUnsent { notice in
            guard sent.count < limit else { return false }
            sent.append(notice.sequence)
            return true
        }
        return sent
    }

    @Test func `a page is read only when the last one was sent`() {
        var subscription = makeSubscription()
        #expect(!beginReading(&subscription, newest: 40), "there is nothing newer")
        #expect(beginReading(&subscription, newest: 43))
        #expect(!beginReading(&subscription, newest: 43), "a read is under way")
        subscription.pageRead(EventPage(events: [event(41), event(43)], upTo: 43, hasMore: false), at: .zero)
        #expect(!beginReading(&subscription, newest: 50), "the page is not sent")
        #expect(send(&subscription, limit: 1) == [41])
        #expect(send(&subscription) == [43])
        #expect(subscription.readUpTo == 43)
        #expect(beginReading(&subscription, newest: 50))
    }

    @Test func `a page that cannot be read is read again`() {
        var subscription = makeSubscription()
        #expect(beginReading(&subscription, newest: 43))
        subscription.pageRead(nil, at: .zero)
        #expect(subscription.readUpTo == 40)
        #expect(beginReading(&subscription, newest: 43))
    }

    @Test func `a gap comes before the events behind it`() {
        var subscription = makeSubscription()
        subscription.pageRead(EventPage(events: [event(51)], upTo: 51, hasMore: false, missed: 41..<50), at: .zero)
        var areGaps: [Bool] = []
        subscription.sendUnsent { notice in
            if case .gap = notice { areGaps.append(true) } else { areGaps.append(false) }
            return true
        }
        #expect(areGaps == [true, false])
    }
}
