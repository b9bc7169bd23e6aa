import CarillonCore
import CarillonWire

@testable import CarillonServer

/// The pages that are asked for: the test answers.
// Safety: a test runs on one thread.
final class ScriptedEventReader: EventReader, @unchecked Sendable {
    /// The reads that are not answered, the oldest first.
    var waiting: [(after: UInt64, completion: @Sendable (EventPage?) -> Void)] = []
    /// False if the client may observe nothing any more.
    var mayObserve = true

    func filter(of subscription: SubscribeEventsRequest, for principal: Principal) -> EventFilter? {
        mayObserve ? subscription.filter : nil
    }

    func readEvents(
        after sequence: UInt64, matching filter: EventFilter, for principal: String,
        _ completion: @escaping @Sendable (EventPage?) -> Void
    ) {
        waiting.append((sequence, completion))
    }
}
