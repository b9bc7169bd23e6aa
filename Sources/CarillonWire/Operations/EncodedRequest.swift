/// A request that is encoded once and sent in several attempts: only its id and its deadline differ.
package struct EncodedRequest: Sendable {
    /// The operation.
    package let opcode: Opcode
    /// The whole frame, with the id 0 and the deadline 0.
    let frame: [UInt8]
    /// Where the deadline stands.
    let deadlineOffset: Int?

    /// Encodes a request.
    package init<O: Operation>(_ request: O) {
        var writer = FrameWriter()
        writer.request(request, id: 0, common: CommonFields(deadlineMilliseconds: 0))
        opcode = O.opcode
        deadlineOffset = writer.deadlineOffset
        frame = writer.take()
    }

    /// Bytes of the payload.
    package var payloadByteCount: Int { frame.count - FrameHeader.byteCount }
    /// Bytes of the frame.
    package var byteCount: Int { frame.count }
}
