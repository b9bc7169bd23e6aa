internal import Glibc

/// Rewrites headers without Huffman codes (RFC 7541, section 5.2) on their way to nghttp2, which decodes four bits at a
/// time: for the path of a device and a provider token that was a third of all a server did, for the `apns-id` of an
/// answer a ninth of all a client did.
///
/// It knows neither the header tables nor any rule of HTTP/2. Whatever it does not understand, blocks in several frames
/// and codes above 8 bits it leaves as they are, for nghttp2 to judge.
struct HeaderUnpacker: ~Copyable {
    /// The nine bytes before each frame (RFC 9113, section 4.1).
    private static let headSize = 9
    private static let prefaceSize = 24
    /// The longest block that is rewritten, in bytes: at twice its length, the most it can become, it still fits a frame.
    private static let maxBlock = 8_000
    private static let capacity = 64 << 10

    private let codes = ShortCodes.all
    private let room = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 16)
    private var filled = 0
    private var authorization = RememberedText()
    /// The beginning of a frame whose rest has not come yet: a head, or a frame with a block.
    private var held = ByteStore()
    /// How many more bytes pass as they are.
    private var passing: Int

    /// - Parameter sender: a client begins with the preface.
    init(from sender: Engine.Role) {
        passing = sender == .client ? Self.prefaceSize : 0
    }

    deinit {
        var held = held
        held.free()
        var authorization = authorization
        authorization.free()
        room.deallocate()
    }

    /// Hands all of `bytes` on to `receive` in a few calls, but for a frame that has not come whole.
    mutating func unpack(
        _ bytes: UnsafeRawBufferPointer,
        _ receive: (UnsafeRawBufferPointer) throws(HTTP2Error) -> Void
    ) throws(HTTP2Error) {
        var rest = bytes
        while held.count > 0, !rest.isEmpty {
            let isHead = held.count < Self.headSize
            let wanted = isHead ? Self.headSize : Self.headSize + Self.length(held.bytes)
            let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(wanted - held.count))
            _ = held.append(piece, limit: wanted)
            rest = UnsafeRawBufferPointer(rebasing: rest[piece.count...])
            if held.count < wanted || isHead && Self.isWholeBlock(held.bytes) && Self.length(held.bytes) > 0 {
                continue
            }
            var whole = held
            held = ByteStore()
            defer {
                whole.removeAll()
                held = whole
            }
            _ = try walk(whole.bytes, receive)
        }
        let taken = try walk(rest, receive)
        try deliver(receive)
        _ = held.append(UnsafeRawBufferPointer(rebasing: rest[taken...]), limit: Self.headSize + Self.maxBlock)
    }

    /// Goes through frames as far as they are whole and returns how many bytes that are.
    private mutating func walk(
        _ bytes: UnsafeRawBufferPointer,
        _ receive: (UnsafeRawBufferPointer) throws(HTTP2Error) -> Void
    ) throws(HTTP2Error) -> Int {
        var at = 0
        var passed = 0
        while at < bytes.count {
            if passing > 0 {
                let count = min(passing, bytes.count - at)
                passing -= count
                at += count
                continue
            }
            let frame = UnsafeRawBufferPointer(rebasing: bytes[at...])
            guard frame.count >= Self.headSize else { break }
            let size = Self.headSize + Self.length(frame)
            guard Self.isWholeBlock(frame) else {
                passing = size
                continue
            }
            guard frame.count >= size else { break }
            try pass(UnsafeRawBufferPointer(rebasing: bytes[passed..<at]), receive)
            try rewrite(UnsafeRawBufferPointer(rebasing: frame[..<size]), receive)
            at += size
            passed = at
        }
        try pass(UnsafeRawBufferPointer(rebasing: bytes[passed..<at]), receive)
        return at
    }

    private static func length(_ frame: UnsafeRawBufferPointer) -> Int {
        Int(frame[0]) << 16 | Int(frame[1]) << 8 | Int(frame[2])
    }

    /// Whether a frame is HEADERS with END_HEADERS and of a length that is rewritten.
    private static func isWholeBlock(_ frame: UnsafeRawBufferPointer) -> Bool {
        frame[3] == 0x1 && frame[4] & 0x4 != 0 && length(frame) <= maxBlock
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
        if room.count - filled < 2 * frame.count + BlockCopy.slack { try deliver(receive) }
        let isPadded = frame[4] & 0x8 != 0
        // Padding and what RFC 7540 called priority; nobody sends them to APNs.
        guard !isPadded, frame[4] & 0x20 == 0 else { return try pass(frame, receive) }
        let target = UnsafeMutableRawBufferPointer(rebasing: room[filled...])
        var copy = BlockCopy(
            source: UnsafeRawBufferPointer(rebasing: frame[Self.headSize...]),
            target: UnsafeMutableRawBufferPointer(rebasing: target[Self.headSize...]),
            codes: codes
        )
        guard copy.run(&authorization) else { return try pass(frame, receive) }
        target.copyMemory(from: UnsafeRawBufferPointer(rebasing: frame[..<Self.headSize]))
        target[0] = UInt8(truncatingIfNeeded: copy.written >> 16)
        target[1] = UInt8(truncatingIfNeeded: copy.written >> 8)
        target[2] = UInt8(truncatingIfNeeded: copy.written)
        filled += Self.headSize + copy.written
    }
}

/// One header block being copied with its strings in plain (RFC 7541, section 6).
private struct BlockCopy {
    /// What a copy may need beyond twice the block, in bytes: codes are decoded in pairs.
    static let slack = 16

    let source: UnsafeRawBufferPointer
    let target: UnsafeMutableRawBufferPointer
    let codes: ShortCodes
    private var at = 0
    private(set) var written = 0

    init(source: UnsafeRawBufferPointer, target: UnsafeMutableRawBufferPointer, codes: ShortCodes) {
        self.source = source
        self.target = target
        self.codes = codes
    }

    /// Copies the block; false if it is not well formed.
    mutating func run(_ authorization: inout RememberedText) -> Bool {
        while at < source.count {
            let first = source[at]
            // An indexed field is an integer, and so is a new size of the table.
            if first & 0x80 != 0 {
                guard copyInteger(mask: 0x7f) != nil else { return false }
            } else if first & 0xe0 == 0x20 {
                guard copyInteger(mask: 0x1f) != nil else { return false }
            } else {
                guard let name = copyInteger(mask: first & 0x40 != 0 ? 0x3f : 0x0f) else { return false }
                if name == 0, !copyString() { return false }
                // The field's name in the static table.
                let isCopied = name == 23 ? copyString(remembering: &authorization) : copyString()
                if !isCopied { return false }
            }
        }
        return true
    }

    /// Reads an integer (section 5.1) of at most 28 bits beyond its first byte.
    private mutating func readInteger(mask: UInt8) -> Int? {
        guard at < source.count else { return nil }
        var value = Int(source[at] & mask)
        at += 1
        if value < Int(mask) { return value }
        for shift in stride(from: 0, to: 28, by: 7) {
            guard at < source.count else { return nil }
            let byte = source[at]
            at += 1
            value += Int(byte & 0x7f) << shift
            if byte & 0x80 == 0 { return value }
        }
        return nil
    }

    private mutating func copyInteger(mask: UInt8) -> Int? {
        let start = at
        guard let value = readInteger(mask: mask) else { return nil }
        copy(start..<at)
        return value
    }

    private mutating func copy(_ range: Range<Int>) {
        UnsafeMutableRawBufferPointer(rebasing: target[written...])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[range]))
        written += range.count
    }

    /// A string's bytes, and whether they are Huffman codes.
    private mutating func readString() -> (bytes: UnsafeRawBufferPointer, isCoded: Bool)? {
        let start = at
        guard let count = readInteger(mask: 0x7f), count <= source.count - at else { return nil }
        at += count
        return (UnsafeRawBufferPointer(rebasing: source[at - count..<at]), source[start] & 0x80 != 0)
    }

    private mutating func copyString() -> Bool {
        let start = at
        guard let string = readString() else { return false }
        // Most lengths take one byte; the text moves if it turns out longer.
        let text = UnsafeMutableRawBufferPointer(rebasing: target[(written + 1)...])
        if string.isCoded, let length = codes.decode(string.bytes, into: text) {
            writeLength(of: length)
        } else {
            copy(start..<at)
        }
        return true
    }

    private mutating func copyString(remembering memory: inout RememberedText) -> Bool {
        let (start, before) = (at, written)
        guard let string = readString() else { return false }
        if string.isCoded, memory.holds(string.bytes) {
            UnsafeMutableRawBufferPointer(rebasing: target[written...]).copyMemory(from: memory.text)
            written += memory.text.count
            return true
        }
        at = start
        guard copyString() else { return false }
        if string.isCoded { memory.set(string.bytes, UnsafeRawBufferPointer(rebasing: target[before..<written])) }
        return true
    }

    /// Writes the length before a text that stands one byte on.
    private mutating func writeLength(of length: Int) {
        guard length < 0x7f else { return writeLong(length) }
        target[written] = UInt8(truncatingIfNeeded: length)
        written += 1 + length
    }

    /// Moves a text of 127 bytes or more behind its length.
    private mutating func writeLong(_ length: Int) {
        var rest = length - 0x7f
        var head = (bytes: (UInt8(0x7f), UInt8(0), UInt8(0), UInt8(0)), count: 1)
        withUnsafeMutableBytes(of: &head.bytes) { bytes in
            while rest >= 0x80 {
                bytes[head.count] = UInt8(truncatingIfNeeded: rest) | 0x80
                head.count += 1
                rest >>= 7
            }
            bytes[head.count] = UInt8(truncatingIfNeeded: rest)
            head.count += 1
            let text = UnsafeRawBufferPointer(rebasing: target[written + 1..<written + 1 + length])
            UnsafeMutableRawBufferPointer(rebasing: target[(written + head.count)...]).copyMemory(from: text)
            UnsafeMutableRawBufferPointer(rebasing: target[written...])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<head.count]))
        }
        written += head.count + length
    }
}

/// The last value of `authorization`: clients repeat it in each request and keep it out of the tables, as RFC 7541,
/// section 7.1.3, has it.
private struct RememberedText {
    private var coded = ByteStore()
    private var plain = ByteStore()

    private static let maxSize = 4_096

    /// The string as it is handed on, with its length.
    var text: UnsafeRawBufferPointer { plain.bytes }

    func holds(_ string: UnsafeRawBufferPointer) -> Bool {
        guard string.count == coded.count, let one = string.baseAddress, let other = coded.bytes.baseAddress else {
            return false
        }
        return memcmp(one, other, string.count) == 0
    }

    mutating func set(_ string: UnsafeRawBufferPointer, _ text: UnsafeRawBufferPointer) {
        coded.removeAll()
        plain.removeAll()
        guard coded.append(string, limit: Self.maxSize), plain.append(text, limit: 2 * Self.maxSize) else {
            return coded.removeAll()
        }
    }

    mutating func free() {
        coded.free()
        plain.free()
    }
}
