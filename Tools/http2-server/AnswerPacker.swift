/// Makes the HEADERS frames of answers: nghttp2 is given no fields and keeps the stream, and what it makes of that, which is a head
/// and new sizes of its table if there are any, is completed here when the frame leaves. No table has a part in the block.
struct AnswerPacker: ~Copyable {
    /// Every peer takes a frame of that length (RFC 9113, section 4.2).
    private static let maxLength = 16_384

    private let frame = UnsafeMutableRawBufferPointer.allocate(
        byteCount: FrameSplitter.headSize + maxLength, alignment: 16)

    deinit { frame.deallocate() }

    /// The frame that `chunk` becomes with `block` at its end, valid until the next one.
    func pack(_ chunk: UnsafeRawBufferPointer, block: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let count = chunk.count + block.count
        precondition(count <= frame.count, "the block of an answer is as short as PreparedAnswer makes it")
        frame.copyMemory(from: chunk)
        UnsafeMutableRawBufferPointer(rebasing: frame[chunk.count...]).copyMemory(from: block)
        FrameHead.setLength(count - FrameSplitter.headSize, in: frame)
        return UnsafeRawBufferPointer(rebasing: frame[..<count])
    }
}
