/// The key of a queue of messages: the messages of an app in a lane.
package struct OutboxQueue: Hashable, Comparable, Sendable {
    package var lane: Lane
    package var app: AppID

    package init(lane: Lane, app: AppID) {
        self.lane = lane
        self.app = app
    }

    /// Compares two queues by lane, then by app.
    package static func < (left: OutboxQueue, right: OutboxQueue) -> Bool {
        (left.lane.rawValue, left.app.name) < (right.lane.rawValue, right.app.name)
    }
}
