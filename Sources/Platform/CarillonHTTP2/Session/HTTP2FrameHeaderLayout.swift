/// The layout of the header before the payload of each HTTP/2 frame (RFC 9113, section 4.1), with the frame types and
/// flags that are needed to split and make frames (sections 6.2 and 6.10).
public enum HTTP2FrameHeaderLayout {
    /// The length of a frame header, in bytes.
    @inlinable public static var byteCount: Int { 9 }
    /// The offset of the type: one byte, after the three of the length.
    @inlinable public static var typeOffset: Int { 3 }
    /// The offset of the flags: one byte. The four bytes of the stream follow it.
    @inlinable public static var flagsOffset: Int { 4 }
    /// The type of HEADERS, which begins a header block.
    @inlinable public static var headersType: UInt8 { 0x1 }
    /// The type of CONTINUATION, which goes on with a header block.
    @inlinable public static var continuationType: UInt8 { 0x9 }
    /// The flag END_HEADERS: the header block ends with this frame.
    @inlinable public static var endHeadersFlag: UInt8 { 0x4 }
    /// The flag PADDED: the first byte of the payload is the length of the padding at its end.
    @inlinable public static var paddedFlag: UInt8 { 0x8 }
    /// The flag PRIORITY: five bytes of priority come before the header block (RFC 7540).
    @inlinable public static var priorityFlag: UInt8 { 0x20 }

    /// Writes the length of a payload into a frame header. Only its low 24 bits are kept.
    @inlinable
    public static func setLength(_ length: Int, in header: UnsafeMutableRawBufferPointer) {
        header[0] = UInt8(truncatingIfNeeded: length >> 16)
        header[1] = UInt8(truncatingIfNeeded: length >> 8)
        header[2] = UInt8(truncatingIfNeeded: length)
    }
}
