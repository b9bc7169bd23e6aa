import CarillonCore
import CarillonDelivery
import Testing

@testable import CarillonServer

/// The changes that a node holds until it writes others.
struct KnownClaimsTests {
    private let message = MessageID(rawValue: 1)
    private var claim: DeliveryService.OwnChange { .claim(4, of: message) }
    private var end: DeliveryService.OwnChange {
        .endOfBlock(PageBlock(first: 3, count: 2), of: MessageID(rawValue: 2))
    }

    private func changes(_ writes: [DeliveryService.OwnChange]) -> [String] {
        writes.map { write in
            switch write {
            case .outcomes(let record, _): "outcomes of \(record.message)"
            case .endOfBlock(let pages, let message): "end of \(pages.first) of \(message)"
            case .claim(let pages, let message): "\(pages) of \(message)"
            }
        }
    }

    @Test func `deferred changes are taken together when the first of them is due`() {
        var known = KnownClaims()
        let isFirst = [known.deferChanges([claim], until: 300), known.deferChanges([end], until: 400)]
        #expect(isFirst == [true, false])
        let taken = [299, 300, 500].map { changes(known.takeDeferred(at: Uptime(milliseconds: $0))) }
        #expect(taken == [[], ["4 of 1", "end of 3 of 2"], []])
    }

    /// The timer of changes that went with others before must not end the time of changes that came after.
    @Test func `the timer of changes that are taken does not end the wait of later changes`() {
        var known = KnownClaims()
        var isFirst = [known.deferChanges([claim], until: 300)]
        var taken = [changes(known.takeDeferred())]
        isFirst.append(known.deferChanges([end], until: 500))
        taken += [300, 500].map { changes(known.takeDeferred(at: Uptime(milliseconds: $0))) }
        #expect(isFirst == [true, true])
        #expect(taken == [["4 of 1"], [], ["end of 3 of 2"]])
    }

    /// The pages of the message are the other member's from now on, but the ends of its blocks are still told.
    @Test func `nothing is claimed of a message that is given up`() {
        var known = KnownClaims()
        let other = DeliveryService.OwnChange.endOfBlock(PageBlock(first: 0, count: 1), of: message)
        _ = known.deferChanges([claim, other, .claim(2, of: MessageID(rawValue: 2))], until: 300)
        known.giveUp(message)
        let taken = changes(known.takeDeferred())
        #expect(taken == ["end of 0 of 1", "2 of 2"])
        #expect(known.givenUp == [message])
    }

    @Test func `an incarnation that is over holds nothing`() {
        var known = KnownClaims()
        _ = known.deferChanges([claim, end], until: 300)
        known.forget()
        let taken = changes(known.takeDeferred())
        let isFirst = known.deferChanges([end], until: 900)
        #expect(taken.isEmpty)
        #expect(isFirst)
    }
}
