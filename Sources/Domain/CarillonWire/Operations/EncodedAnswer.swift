/// The payload of an answer, written on the thread that knows it, before its frame.
package struct EncodedAnswer: Hashable, Sendable {
    package let opcode: Opcode
    package let payload: [UInt8]

    package init<O: Operation>(_ answer: O.Answer, to operation: O.Type) {
        var writer = FrameWriter()
        O.write(answer, to: &writer)
        opcode = O.opcode
        payload = writer.take()
    }
}
