package import CarillonCore
package import CarillonWire

/// The client that makes a request, and the time. A request that is handed to the caller always has a client.
package struct RequestContext: Hashable, Sendable {
    /// The id, the opcode and the conditions of the request.
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

    package var id: UInt64 { head.id }
}

/// A request without its payload: its id, its opcode, and the conditions under which it may be begun.
package struct RequestHead: Hashable, Sendable {
    /// The id in the frame; the answer has it too.
    package var id: UInt64
    package var opcode: Opcode
    /// The time after which the request is not begun; nil if it has no deadline.
    package var deadline: Uptime?
    /// The position in the shared log that this node must have applied, as the client has asked before; 0 for none.
    package var position: UInt64

    package init(id: UInt64, opcode: Opcode, deadline: Uptime? = nil, position: UInt64 = 0) {
        self.id = id
        self.opcode = opcode
        self.deadline = deadline
        self.position = position
    }
}
