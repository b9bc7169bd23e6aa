/// A request that is encoded once and sent in several attempts: only its id and its deadline differ.
package struct EncodedRequest: Sendable {
    package let opcode: Opcode
    /// The whole frame, with the id 0 and the deadline 0.
    let frame: [UInt8]
    /// The offset of the deadline in the frame; nil if the request has none.
    let deadlineOffset: Int?

    package init<O: Operation>(_ request: O) {
        var writer = FrameWriter()
        writer.request(request, id: 0, common: CommonFields(deadlineMilliseconds: 0))
        opcode = O.opcode
        deadlineOffset = writer.deadlineOffset
        frame = writer.take()
    }

    package var payloadByteCount: Int { frame.count - FrameHeader.byteCount }
    /// The number of bytes of the frame.
    package var byteCount: Int { frame.count }
}
