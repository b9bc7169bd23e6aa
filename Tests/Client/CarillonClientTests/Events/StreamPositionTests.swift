import CarillonCore
import CarillonWire
import Testing

@testable import CarillonClient

/// A subscription of events goes on where it was, or begins anew.
struct StreamPositionTests {
    private let first = UUIDBytes(high: 1, low: 1)
    private let second = UUIDBytes(high: 2, low: 2)

    @Test func `a subscription begins where the program says`() {
        let starts: [EventStart] = [.now, .oldest, .acknowledged, .after(0), .after(7)]
        let named = starts.map { StreamPosition(start: $0).subscribeFrom(isNamed: true) }
        #expect(
            named == [
                SubscribeEventsRequest.fromNow, SubscribeEventsRequest.fromOldest, 0, SubscribeEventsRequest.fromOldest,
                7,
            ])
        #expect(StreamPosition(start: .acknowledged).subscribeFrom(isNamed: false) == SubscribeEventsRequest.fromNow)
    }

    @Test func `events that the server leaves out are reported as missing`() {
        var position = StreamPosition(start: .after(5))
        #expect(position.subscriptionBegan(after: 5) == nil)
        #expect(position.subscriptionBegan(after: 8) == 6..<9)
        #expect(position.lastSequence == 8)
    }

    @Test func `an event that comes again is dropped`() {
        var position = StreamPosition(start: .after(5))
        #expect(position.receive(.gap(missed: 4..<9, at: .zero)) == .gap(6..<9))
        #expect(position.receive(.gap(missed: 4..<9, at: .zero)) == nil)
        #expect(position.subscribeFrom(isNamed: true) == 8)
    }

    @Test func `another history of the server resets the position`() {
        var position = StreamPosition(start: .after(5))
        let changes = [
            position.connectedToNewHistory(first), position.connectedToNewHistory(first),
            position.connectedToNewHistory(second),
        ]
        #expect(changes == [false, false, true])
        #expect(position.history == 1)
        #expect(position.lastSequence == 0)
        #expect(position.subscribeFrom(isNamed: true) == 0)
    }
}
