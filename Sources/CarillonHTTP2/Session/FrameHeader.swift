/// The frame types and flags that are needed to split and make frames (RFC 9113, sections 6.2 and 6.10).
public enum FrameHead {
    /// The type of HEADERS.
    @inlinable public static var headers: UInt8 { 0x1 }
    /// The type of CONTINUATION.
    @inlinable public static var continuation: UInt8 { 0x9 }
    /// The flag END_HEADERS.
    @inlinable public static var endHeaders: UInt8 { 0x4 }
    /// The flag PADDED.
    @inlinable public static var padded: UInt8 { 0x8 }
    /// The flag PRIORITY.
    @inlinable public static var priority: UInt8 { 0x20 }

    /// Writes the length of a payload into a frame header.
    @inlinable
    public static func setLength(_ length: Int, in head: UnsafeMutableRawBufferPointer) {
        head[0] = UInt8(truncatingIfNeeded: length >> 16)
        head[1] = UInt8(truncatingIfNeeded: length >> 8)
        head[2] = UInt8(truncatingIfNeeded: length)
    }
}
