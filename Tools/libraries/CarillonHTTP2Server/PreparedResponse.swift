package import CarillonHTTP2

/// The headers of an answer, shared by all streams with the same answer.
///
/// They are encoded without any table, so that they are the same bytes on each connection.
package final class PreparedResponse: Sendable {
    /// The encoded fields.
    let block: [UInt8]
    package let status: UInt16

    /// The longest block, in bytes. Together with an id it still fits a frame that every peer takes (RFC 9113, section
    /// 4.2).
    private static let maximumBlockBytes = 16_000

    /// Encodes `:status` and then `fields`.
    ///
    /// Throws `invalidHeader` for names and values that HTTP forbids, and `requestTooLong` if they do not fit into one
    /// frame.
    package init(status: UInt16, fields: [HeaderField] = []) throws(HTTP2Error) {
        for field in fields where !field.isValid { throw .invalidHeader(field.name) }
        self.status = status
        var block = LiteralField.status(status)
        for field in fields { block += LiteralField.encoded(field.name, value: field.value) }
        guard block.count <= Self.maximumBlockBytes else { throw .requestTooLong(block.count) }
        self.block = block
    }
}

/// A packer that makes the HEADERS frames of answers. nghttp2 gets no fields and keeps the stream. The frame that it
/// makes, a frame header and any new sizes of its table, is completed here when it is sent. The block does not depend
/// on any table.
struct ResponsePacker: ~Copyable {
    /// The length of a frame that every peer takes (RFC 9113, section 4.2).
    private static let maximumLength = 16_384

    private let frame = UnsafeMutableRawBufferPointer.allocate(
        byteCount: HTTP2FrameHeaderLayout.byteCount + maximumLength, alignment: 16)

    deinit { frame.deallocate() }

    /// Returns `chunk` with `block` appended, as one frame, which is valid until the next call.
    func pack(_ chunk: UnsafeRawBufferPointer, block: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let count = chunk.count + block.count
        precondition(count <= frame.count, "PreparedResponse limits the block of an answer")
        frame.copyMemory(from: chunk)
        UnsafeMutableRawBufferPointer(rebasing: frame[chunk.count...]).copyMemory(from: block)
        HTTP2FrameHeaderLayout.setLength(count - HTTP2FrameHeaderLayout.byteCount, in: frame)
        return UnsafeRawBufferPointer(rebasing: frame[..<count])
    }
}
