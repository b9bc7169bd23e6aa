package import CarillonCore
package import CarillonWire

/// The result of submitting a request.
package enum RequestSubmission: Hashable, Sendable {
    /// The request is in `output`; its answer will name this id.
    case sent(id: UInt64)
    /// The request cannot be sent now: the connection is not open, or its window is full.
    case sendLater
    /// The request cannot be sent on this connection, which takes no new requests.
    case sendElsewhere
    /// The request cannot be sent on any connection: the server does not take such a request.
    case refused(RequestError)
}
