internal import CCarillonNghttp2

/// Makes the HEADERS frames of requests, which nghttp2 would encode anew for each device: a provider token's Huffman codes
/// and seven look-ups in the tables were a third of all that a push cost.
///
/// nghttp2 is given nothing but the method and keeps the stream; the block it makes of that is replaced here when the frame
/// leaves, so blocks are in the order of frames as the peer's table wants it. What all devices of a message share comes from a
/// deflater of our own, nghttp2's too, which the peer's table follows; it is kept for as long as the same message goes on.
struct RequestPacker: ~Copyable {
    private static let headSize = 9
    /// The longest block: every peer takes a frame of that length (RFC 9113, section 4.2).
    static let maxBlock = 16_384

    private let deflater: OpaquePointer
    private let frame = UnsafeMutableRawBufferPointer.allocate(byteCount: headSize + maxBlock, alignment: 16)
    /// What requests with `headers` begin and end with; path and id stand between.
    private let shared = UnsafeMutableRawBufferPointer.allocate(byteCount: maxBlock, alignment: 16)
    private var frontSize = 0
    private var sharedSize = 0
    /// The headers that `shared` is made of, if it can be used again: it changes nothing in the table.
    private var headers: PreparedHeaders?
    /// The table could not follow the peer's: nothing can be encoded any more.
    private var failure: HTTP2Error?

    init() throws(HTTP2Error) {
        var deflater: OpaquePointer?
        let code = nghttp2_hd_deflate_new(&deflater, Int(NGHTTP2_DEFAULT_HEADER_TABLE_SIZE))
        guard code == 0, let deflater else {
            frame.deallocate()
            shared.deallocate()
            throw HTTP2Error(code: code)
        }
        self.deflater = deflater
    }

    deinit {
        nghttp2_hd_deflate_del(deflater)
        frame.deallocate()
        shared.deallocate()
    }

    /// The peer has announced the size of its table, in bytes; the next block confirms it.
    mutating func setTableSize(_ size: UInt32) {
        headers = nil
        let code = nghttp2_hd_deflate_change_table_size(deflater, Int(size))
        if code != 0 { failure = HTTP2Error(code: code) }
    }

    /// The frame of a request, valid until the next one.
    ///
    /// - Parameters:
    ///   - head: the first nine bytes of the frame that nghttp2 made, which stay the same but for the length.
    ///   - text: path and id, as `RequestText` writes them.
    mutating func pack(
        head: UnsafeRawBufferPointer, _ headers: PreparedHeaders, text: UnsafeRawBufferPointer
    ) throws(HTTP2Error) -> UnsafeRawBufferPointer {
        if self.headers !== headers { try encodeShared(headers) }
        let count = sharedSize + text.count
        guard head.count >= Self.headSize, count <= Self.maxBlock else { throw .requestTooLong(count) }
        // Safety: `frame` has room for a head and the longest block, and the block's length was just checked.
        let start = frame.baseAddress.unsafelyUnwrapped
        let source = shared.baseAddress.unsafelyUnwrapped
        start.copyMemory(from: head.baseAddress.unsafelyUnwrapped, byteCount: Self.headSize)
        frame[0] = UInt8(truncatingIfNeeded: count >> 16)
        frame[1] = UInt8(truncatingIfNeeded: count >> 8)
        frame[2] = UInt8(truncatingIfNeeded: count)
        let block = start + Self.headSize
        block.copyMemory(from: source, byteCount: frontSize)
        if let bytes = text.baseAddress { (block + frontSize).copyMemory(from: bytes, byteCount: text.count) }
        (block + frontSize + text.count).copyMemory(from: source + frontSize, byteCount: sharedSize - frontSize)
        return UnsafeRawBufferPointer(rebasing: frame[..<(Self.headSize + count)])
    }

    @inline(never)
    private mutating func encodeShared(_ headers: PreparedHeaders) throws(HTTP2Error) {
        self.headers = nil
        if let failure { throw failure }
        let fields = headers.table.fields
        // Pseudo headers, of which the path is one, come before all others.
        frontSize = try encode(fields[..<PreparedHeaders.pseudoCount], at: 0)
        let rest = try encode(fields[PreparedHeaders.pseudoCount...], at: frontSize)
        let secrets = frontSize + rest
        // `PreparedHeaders` has seen to it that all of this fits.
        sharedSize = secrets + headers.secrets.count
        UnsafeMutableRawBufferPointer(rebasing: shared[secrets...]).copyBytes(from: headers.secrets)
        // One byte a field, none of them the beginning of a longer number: the table has them all.
        if secrets == fields.count, shared[..<secrets].allSatisfy({ (0x80...0xFE).contains($0) }) {
            self.headers = headers
        }
    }

    private func encode(_ fields: Slice<UnsafeBufferPointer<nghttp2_nv>>, at start: Int) throws(HTTP2Error) -> Int {
        let room = UnsafeMutableRawBufferPointer(rebasing: shared[start...])
        return try fields.encoded(by: deflater, into: room)
    }
}

extension Slice<UnsafeBufferPointer<nghttp2_nv>> {
    /// Has a deflater encode the fields and returns their length.
    func encoded(
        by deflater: OpaquePointer, into room: UnsafeMutableRawBufferPointer
    ) throws(HTTP2Error) -> Int {
        let fields = UnsafeBufferPointer(rebasing: self)
        let count = nghttp2_hd_deflate_hd(
            deflater, room.baseAddress?.assumingMemoryBound(to: UInt8.self), room.count,
            UnsafeMutablePointer(mutating: fields.baseAddress), fields.count)
        if count < 0 { throw HTTP2Error(code: Int32(truncatingIfNeeded: count)) }
        return count
    }
}

/// The fields of a request that no other has: `:path`, and `apns-id` if there is one.
enum RequestText {
    /// The most that names and lengths add to path and id, in bytes.
    static let overhead = 20

    /// Writes both into `room`, which has `overhead` bytes more than they are long; returns how long the text is.
    static func write(
        path: UnsafeRawBufferPointer, apnsID: UnsafeRawBufferPointer?, into room: UnsafeMutableRawBufferPointer
    ) -> Int {
        var count = Literal.write(Literal.pathName, path, into: room)
        if let apnsID {
            count += Literal.write(
                Literal.idName, apnsID, into: UnsafeMutableRawBufferPointer(rebasing: room[count...]))
        }
        return count
    }
}
