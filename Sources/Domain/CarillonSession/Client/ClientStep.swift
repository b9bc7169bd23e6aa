package import CarillonWire

/// The result of reading bytes in a client session.
package enum ClientStep: Hashable, Sendable {
    /// The bytes hold no complete frame: wait for more.
    case needMore
    /// The session has handled a frame itself: call again.
    case proceed
    /// Requests may be submitted; `helloAnswer` is set.
    case opened
    case answered(AnyAnswer, id: UInt64)
    case refused(RequestError, id: UInt64)
    /// A request was executed, and its answer has values that this version does not know.
    case unreadable(WireError, id: UInt64)
    /// An event has come for the subscription that the request `subscription` made.
    case event(EventNotice, subscription: UInt64)
    case pingAnswered
    /// The server has reported a position of the cluster's log: every change whose answer follows is at or before it.
    case position(UInt64)
    /// The connection takes no new requests. The requests in `notExecuted` were not executed and will not be.
    case goingAway(GoAway, notExecuted: [UInt64])
    /// The session has ended: send what is left in `output`, then close.
    case close(SessionEnd)
}
