/// Removes Huffman codes (RFC 7541, section 5.2) from the headers of answers, before nghttp2 gets them. nghttp2 decodes
/// four bits at a time. Decoding the `apns-id` of answers took a ninth of a client's time.
///
/// This type knows neither the header tables nor any rule of HTTP/2. Malformed blocks, blocks in several frames and
/// codes above 8 bits stay unchanged, for nghttp2 to judge.
struct HeaderUnpacker: ~Copyable {
    /// The longest block that is rewritten, in bytes. It becomes at most twice as long, and still fits a frame.
    private static let maximumBlockBytes = 8_000
    private static let capacity = 64 << 10

    private let codes = ShortHuffmanCodes.all
    private let room = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 16)
    private var filled = 0
    private var splitter = FrameSplitter(from: .server)

    deinit { room.deallocate() }

    /// Gives all of `bytes` to `receive` in a few calls, except a frame that is not complete yet.
    mutating func unpack(
        _ bytes: UnsafeRawBufferPointer,
        _ receive: (UnsafeRawBufferPointer) throws(HTTP2Error) -> Void
    ) throws(HTTP2Error) {
        var remaining = bytes
        while let part = splitter.next(&remaining) {
            switch part {
            case .other(let bytes): try pass(bytes, receive)
            case .headers(let frame): try rewrite(frame, receive)
            }
        }
        try deliver(receive)
    }

    private mutating func pass(
        _ bytes: UnsafeRawBufferPointer,
        _ receive: (UnsafeRawBufferPointer) throws(HTTP2Error) -> Void
    ) throws(HTTP2Error) {
        if bytes.count > room.count - filled { try deliver(receive) }
        if bytes.count > room.count { return try receive(bytes) }
        UnsafeMutableRawBufferPointer(rebasing: room[filled...]).copyMemory(from: bytes)
        filled += bytes.count
    }

    private mutating func deliver(
        _ receive: (UnsafeRawBufferPointer) throws(HTTP2Error) -> Void
    ) throws(HTTP2Error) {
        let bytes = UnsafeRawBufferPointer(rebasing: room[..<filled])
        filled = 0
        if !bytes.isEmpty { try receive(bytes) }
    }

    private mutating func rewrite(
        _ frame: UnsafeRawBufferPointer,
        _ receive: (UnsafeRawBufferPointer) throws(HTTP2Error) -> Void
    ) throws(HTTP2Error) {
        let block = UnsafeRawBufferPointer(rebasing: frame[HTTP2FrameHeaderLayout.byteCount...])
        // Padding, and RFC 7540's priority: APNs sends neither.
        let flags =
            frame[HTTP2FrameHeaderLayout.flagsOffset]
            & (HTTP2FrameHeaderLayout.endHeadersFlag | HTTP2FrameHeaderLayout.paddedFlag
                | HTTP2FrameHeaderLayout.priorityFlag)
        guard frame[HTTP2FrameHeaderLayout.typeOffset] == HTTP2FrameHeaderLayout.headersType,
            flags == HTTP2FrameHeaderLayout.endHeadersFlag, block.count <= Self.maximumBlockBytes
        else {
            return try pass(frame, receive)
        }
        if room.count - filled < 2 * frame.count + BlockCopy.slack { try deliver(receive) }
        let target = UnsafeMutableRawBufferPointer(rebasing: room[filled...])
        var copy = BlockCopy(
            source: block, target: UnsafeMutableRawBufferPointer(rebasing: target[HTTP2FrameHeaderLayout.byteCount...]),
            codes: codes)
        guard copy.run() else { return try pass(frame, receive) }
        target.copyMemory(from: UnsafeRawBufferPointer(rebasing: frame[..<HTTP2FrameHeaderLayout.byteCount]))
        HTTP2FrameHeaderLayout.setLength(copy.written, in: target)
        filled += HTTP2FrameHeaderLayout.byteCount + copy.written
    }
}

/// The copy of one header block, with its strings decoded (RFC 7541, section 6).
private struct BlockCopy {
    /// The memory that a copy may need beyond twice the block, in bytes: codes are decoded in pairs.
    static let slack = 16

    let source: UnsafeRawBufferPointer
    let target: UnsafeMutableRawBufferPointer
    let codes: ShortHuffmanCodes
    private var position = 0
    private(set) var written = 0

    init(source: UnsafeRawBufferPointer, target: UnsafeMutableRawBufferPointer, codes: ShortHuffmanCodes) {
        self.source = source
        self.target = target
        self.codes = codes
    }

    /// Copies the block. Returns false if it is malformed.
    mutating func run() -> Bool {
        while position < source.count {
            let first = source[position]
            // An indexed field is an integer, and so is a new size of the table.
            if first & 0x80 != 0 {
                guard copyInteger(mask: 0x7f) != nil else { return false }
            } else if first & 0xe0 == 0x20 {
                guard copyInteger(mask: 0x1f) != nil else { return false }
            } else {
                guard let name = copyInteger(mask: first & 0x40 != 0 ? 0x3f : 0x0f) else { return false }
                if name == 0, !copyString() { return false }
                if !copyString() { return false }
            }
        }
        return true
    }

    /// Reads an integer (section 5.1) of at most 28 bits beyond its first byte.
    private mutating func readInteger(mask: UInt8) -> Int? {
        guard position < source.count else { return nil }
        var value = Int(source[position] & mask)
        position += 1
        if value < Int(mask) { return value }
        for shift in stride(from: 0, to: 28, by: 7) {
            guard position < source.count else { return nil }
            let byte = source[position]
            position += 1
            value += Int(byte & 0x7f) << shift
            if byte & 0x80 == 0 { return value }
        }
        return nil
    }

    private mutating func copyInteger(mask: UInt8) -> Int? {
        let start = position
        guard let value = readInteger(mask: mask) else { return nil }
        copy(start..<position)
        return value
    }

    private mutating func copy(_ range: Range<Int>) {
        UnsafeMutableRawBufferPointer(rebasing: target[written...])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[range]))
        written += range.count
    }

    /// Reads a string: its bytes, and whether they are Huffman codes; nil if it is malformed.
    private mutating func readString() -> (bytes: UnsafeRawBufferPointer, isCoded: Bool)? {
        let start = position
        guard let count = readInteger(mask: 0x7f), count <= source.count - position else { return nil }
        position += count
        return (UnsafeRawBufferPointer(rebasing: source[position - count..<position]), source[start] & 0x80 != 0)
    }

    private mutating func copyString() -> Bool {
        let start = position
        guard let string = readString() else { return false }
        // Most lengths take one byte; a longer text is moved.
        let text = UnsafeMutableRawBufferPointer(rebasing: target[(written + 1)...])
        if string.isCoded, let length = codes.decode(string.bytes, into: text) {
            writeLength(of: length)
        } else {
            copy(start..<position)
        }
        return true
    }

    /// Writes the length before a text that begins one byte further on.
    private mutating func writeLength(of length: Int) {
        guard length < 0x7f else { return writeLong(length) }
        target[written] = UInt8(truncatingIfNeeded: length)
        written += 1 + length
    }

    /// Moves a text of 127 bytes or more after its length.
    private mutating func writeLong(_ length: Int) {
        var remainder = length - 0x7f
        var head = (bytes: (UInt8(0x7f), UInt8(0), UInt8(0), UInt8(0)), count: 1)
        withUnsafeMutableBytes(of: &head.bytes) { bytes in
            while remainder >= 0x80 {
                bytes[head.count] = UInt8(truncatingIfNeeded: remainder) | 0x80
                head.count += 1
                remainder >>= 7
            }
            bytes[head.count] = UInt8(truncatingIfNeeded: remainder)
            head.count += 1
            let text = UnsafeRawBufferPointer(rebasing: target[written + 1..<written + 1 + length])
            UnsafeMutableRawBufferPointer(rebasing: target[(written + head.count)...]).copyMemory(from: text)
            UnsafeMutableRawBufferPointer(rebasing: target[written...])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<head.count]))
        }
        written += head.count + length
    }
}
