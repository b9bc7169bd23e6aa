/// The payload of a response, written on the thread that knows the answer, before its frame.
package struct EncodedAnswer: Hashable, Sendable {
    /// The operation.
    package let opcode: Opcode
    package let payload: [UInt8]

    /// Encodes the answer of an operation.
    package init<O: Operation>(_ answer: O.Answer, to operation: O.Type) {
        var writer = FrameWriter()
        O.write(answer, to: &writer)
        opcode = O.opcode
        payload = writer.take()
    }
}
