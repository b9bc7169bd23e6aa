import CarillonHTTP2

/// A packer that makes the HEADERS frames of answers. nghttp2 gets no fields and keeps the stream. The frame that it
/// makes, a frame header and any new sizes of its table, is completed here when it is sent. The block does not depend
/// on any table.
struct ResponsePacker: ~Copyable {
    /// The length of a frame that every peer takes (RFC 9113, section 4.2).
    private static let maximumLength = 16_384

    private let frame = UnsafeMutableRawBufferPointer.allocate(
        byteCount: HTTP2FrameHeader.byteCount + maximumLength, alignment: 16)

    deinit { frame.deallocate() }

    /// Returns `chunk` with `block` appended, as one frame, which is valid until the next call.
    func pack(_ chunk: UnsafeRawBufferPointer, block: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let count = chunk.count + block.count
        precondition(count <= frame.count, "PreparedResponse limits the block of an answer")
        frame.copyMemory(from: chunk)
        UnsafeMutableRawBufferPointer(rebasing: frame[chunk.count...]).copyMemory(from: block)
        HTTP2FrameHeader.setLength(count - HTTP2FrameHeader.byteCount, in: frame)
        return UnsafeRawBufferPointer(rebasing: frame[..<count])
    }
}
