import CarillonCore
import CarillonWire

/// The position up to which a subscription has received the events of the server. The next connection goes on from
/// there.
struct StreamPosition {
    private var start: EventStart
    /// The history that the sequence numbers belong to; nil before the first connection.
    private var epoch: UUIDBytes?
    /// The number up to which everything has been received; nil until the server has said where the subscription
    /// begins.
    private var received: UInt64?
    /// The number of histories that the server has had.
    private(set) var history = 0

    init(start: EventStart) {
        self.start = start
        if case .after(let sequence) = start { received = sequence }
    }

    /// The number up to which everything has been received; 0 before the server has said where the subscription begins.
    var lastSequence: UInt64 { received ?? 0 }

    /// Records the history of the server of a new connection. Returns true if it is another one, whose numbers begin
    /// anew.
    mutating func connectedToNewHistory(_ epoch: UUIDBytes) -> Bool {
        let before = self.epoch
        self.epoch = epoch
        guard let before, before != epoch else { return false }
        received = nil
        history += 1
        if case .after = start { start = .acknowledged }
        return true
    }

    /// Returns the value of `from` in SUBSCRIBE_EVENTS, where 0 does not mean "after none".
    func subscribeFrom(isNamed: Bool) -> UInt64 {
        if let received { return received == 0 ? SubscribeEventsRequest.fromOldest : received }
        return switch start {
        case .now: SubscribeEventsRequest.fromNow
        case .oldest: SubscribeEventsRequest.fromOldest
        case .acknowledged, .after: isNamed ? 0 : SubscribeEventsRequest.fromNow
        }
    }

    /// Records the number after which the server begins. Returns the numbers that it leaves out; nil if it leaves out
    /// none.
    mutating func subscriptionBegan(after sequence: UInt64) -> Range<UInt64>? {
        let before = received
        received = max(before ?? 0, sequence)
        guard let before, before < sequence, sequence < .max else { return nil }
        return before + 1..<sequence + 1
    }

    /// Returns the element of an event frame; nil if it was received before the connection was lost.
    mutating func receive(_ notice: EventNotice) -> EventStreamElement? {
        let before = lastSequence
        guard notice.sequence > before else { return nil }
        received = notice.sequence
        return switch notice {
        case .event(let event): .event(event)
        case .gap(let missed, _): .gap(max(missed.lowerBound, before + 1)..<missed.upperBound)
        }
    }
}
