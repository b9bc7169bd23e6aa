import CarillonCore
import CarillonWire

/// The account of the requests of one connection: the newest id, the number of all, those without an answer, and the
/// subscriptions of events that requests have made. A subscription has the id of its SUBSCRIBE_EVENTS.
struct RequestTracker {
    /// The id of the newest request.
    private(set) var lastID: UInt64 = 0
    /// The number of requests that were read and not refused by the session, AUTH included.
    private(set) var total: UInt64 = 0
    /// The app of the newest request. The next request is most often about the same app.
    var lastApp: AppID?
    var subscriptions = SubscriptionCredits()
    private var outstanding = OutstandingRequests()

    /// The number of requests without an answer.
    var count: Int { outstanding.count }

    /// The number of bytes of the payloads of requests without an answer.
    var bytes: Int { outstanding.bytes }

    /// The most memory that the requests without an answer take, in bytes.
    var memoryBytes: Int { outstanding.memoryBytes }

    /// True if every request is answered.
    var isEmpty: Bool { outstanding.isEmpty }

    mutating func requestReceived(_ id: UInt64) { lastID = id }

    /// Adds the newest request to the requests without an answer.
    mutating func add(_ header: FrameHeader) {
        outstanding.add(header.id, opcode: header.opcode, bytes: Int(header.length))
        total &+= 1
    }

    /// Removes a request that gets its answer now, and returns it; nil if it is not outstanding.
    mutating func remove(_ id: UInt64) -> OutstandingRequests.Request? { outstanding.remove(id) }

    /// Removes a request that fails, and ends its subscription, if it has made one. Returns the request; nil if it is
    /// not outstanding.
    mutating func removeFailed(_ id: UInt64) -> OutstandingRequests.Request? {
        guard let entry = outstanding.remove(id) else { return nil }
        subscriptions.end(id)
        return entry
    }
}
