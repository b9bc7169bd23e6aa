package import CarillonCore

/// The client that makes a request, and the time. A request that is handed to the caller always has a client.
package struct RequestContext: Hashable, Sendable {
    /// The facts that come with the request, beside its payload.
    package var head: RequestHead
    /// The client with the rights by which the request is judged.
    package var principal: Principal
    /// The time at which the request was read; for a request that has waited, the time at which it is begun.
    package var now: Moment

    package init(_ head: RequestHead, of principal: Principal, at now: Moment) {
        self.head = head
        self.principal = principal
        self.now = now
    }

    /// The id of the request.
    package var id: UInt64 { head.id }
}
