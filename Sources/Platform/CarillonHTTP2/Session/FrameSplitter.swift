/// Divides a byte stream into frames with headers, which are returned whole, and the bytes between them.
package struct FrameSplitter: ~Copyable {
    /// A part of the stream, valid until the next one.
    package enum Part {
        /// A frame HEADERS or CONTINUATION, with its nine bytes of frame header.
        case headers(UnsafeRawBufferPointer)
        /// Whole frames or parts of frames; HEADERS and CONTINUATION longer than `maximumPayloadBytes` too.
        case other(UnsafeRawBufferPointer)
    }

    /// The longest payload of a frame that is returned whole, in bytes.
    @inlinable package static var maximumPayloadBytes: Int { 64 << 10 }
    private static let prefaceBytes = 24

    /// The beginning of a frame that is not complete yet: a part of its frame header, or of a frame with headers.
    private var pending = ByteStore()
    /// True if `pending` was returned by the last call and must be removed.
    private var isPendingReturned = false
    /// The number of further bytes to return unchanged.
    private var unchangedBytes: Int

    /// Makes the splitter of one direction of a new connection.
    ///
    /// - Parameter sender: the end that sends the bytes; the bytes of a client begin with the preface.
    package init(from sender: NGHTTP2Session.Role) {
        unchangedBytes = sender == .client ? Self.prefaceBytes : 0
    }

    deinit {
        var pending = pending
        pending.free()
    }

    /// Removes the next part from the beginning of `bytes`. Returns nil if they are used up, or kept until more
    /// bytes come.
    @inline(__always)
    package mutating func next(_ bytes: inout UnsafeRawBufferPointer) -> Part? {
        if pending.count > 0, let part = nextPending(&bytes) { return part }
        guard !bytes.isEmpty else { return nil }
        var position = 0
        while position < bytes.count {
            if unchangedBytes > 0 {
                let count = min(unchangedBytes, bytes.count - position)
                unchangedBytes -= count
                position += count
                continue
            }
            let frame = UnsafeRawBufferPointer(rebasing: bytes[position...])
            guard frame.count >= HTTP2FrameHeaderLayout.byteCount else { break }
            let size = HTTP2FrameHeaderLayout.byteCount + Self.length(frame)
            guard Self.isWanted(frame) else {
                unchangedBytes = size
                continue
            }
            if position > 0 { break }
            guard frame.count >= size else { break }
            return .headers(Self.removePrefix(size, from: &bytes))
        }
        if position > 0 { return .other(Self.removePrefix(position, from: &bytes)) }
        _ = pending.append(
            Self.removePrefix(bytes.count, from: &bytes),
            limit: HTTP2FrameHeaderLayout.byteCount + Self.maximumPayloadBytes)
        return nil
    }

    /// Continues a frame that comes in parts.
    @inline(never)
    private mutating func nextPending(_ bytes: inout UnsafeRawBufferPointer) -> Part? {
        if isPendingReturned {
            isPendingReturned = false
            pending.removeAll()
            return nil
        }
        if pending.count < HTTP2FrameHeaderLayout.byteCount {
            collect(upTo: HTTP2FrameHeaderLayout.byteCount, &bytes)
            guard pending.count == HTTP2FrameHeaderLayout.byteCount else { return nil }
            if !Self.isWanted(pending.bytes) {
                unchangedBytes = Self.length(pending.bytes)
                isPendingReturned = true
                return .other(pending.bytes)
            }
        }
        let size = HTTP2FrameHeaderLayout.byteCount + Self.length(pending.bytes)
        collect(upTo: size, &bytes)
        guard pending.count == size else { return nil }
        isPendingReturned = true
        return .headers(pending.bytes)
    }

    private mutating func collect(upTo size: Int, _ bytes: inout UnsafeRawBufferPointer) {
        _ = pending.append(Self.removePrefix(min(size - pending.count, bytes.count), from: &bytes), limit: size)
    }

    private static func removePrefix(_ count: Int, from bytes: inout UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let prefix = UnsafeRawBufferPointer(rebasing: bytes[..<count])
        bytes = UnsafeRawBufferPointer(rebasing: bytes[count...])
        return prefix
    }

    private static func length(_ frame: UnsafeRawBufferPointer) -> Int {
        Int(frame[0]) << 16 | Int(frame[1]) << 8 | Int(frame[2])
    }

    private static func isWanted(_ frame: UnsafeRawBufferPointer) -> Bool {
        (frame[HTTP2FrameHeaderLayout.typeOffset] == HTTP2FrameHeaderLayout.headersType
            || frame[HTTP2FrameHeaderLayout.typeOffset] == HTTP2FrameHeaderLayout.continuationType)
            && length(frame) <= maximumPayloadBytes
    }
}
