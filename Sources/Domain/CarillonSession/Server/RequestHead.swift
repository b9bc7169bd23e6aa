package import CarillonCore
package import CarillonWire

/// The facts that come with a request, beside its payload.
package struct RequestHead: Hashable, Sendable {
    /// The id in the frame; the answer has it too.
    package var id: UInt64
    /// The operation.
    package var opcode: Opcode
    /// The time after which the request is not begun; nil if it has no deadline.
    package var deadline: Uptime?
    /// The position in the log of the cluster that the state must contain; 0 for any state.
    package var position: UInt64

    package init(id: UInt64, opcode: Opcode, deadline: Uptime? = nil, position: UInt64 = 0) {
        self.id = id
        self.opcode = opcode
        self.deadline = deadline
        self.position = position
    }
}
