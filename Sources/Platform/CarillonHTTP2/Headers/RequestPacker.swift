import CCarillonNghttp2

/// Makes the HEADERS frames of requests itself, because nghttp2 would encode them anew for each device. The Huffman
/// codes of a provider token and seven look-ups in the tables were a third of the cost of a push.
///
/// nghttp2 gets only the method, and keeps the stream. The block that it makes is replaced here when the frame is sent,
/// so blocks are in the order of frames, as the peer's table requires. The fields that all devices of a message share
/// are encoded by a deflater of this type (nghttp2's implementation), which the peer's table follows. The encoded
/// fields are kept while the same message is sent.
struct RequestPacker: ~Copyable {
    /// The longest block: every peer takes a frame of that length (RFC 9113, section 4.2).
    static let maximumBlockBytes = 16_384

    private let deflater: OpaquePointer
    private let frame = UnsafeMutableRawBufferPointer.allocate(
        byteCount: HTTP2FrameHeaderLayout.byteCount + maximumBlockBytes, alignment: 16)
    /// The fields that the requests with `headers` share: the pseudo-headers, `frontBytes` long, and then the others.
    /// In a request, path and id are between them.
    private let shared = UnsafeMutableRawBufferPointer.allocate(byteCount: maximumBlockBytes, alignment: 16)
    private var frontBytes = 0
    private var sharedBytes = 0
    /// The headers that `shared` was made from; nil if `shared` cannot be used again, because it changes the table.
    private var headers: PreparedHeaders?
    /// The error that made the table differ from the peer's, so that nothing more can be encoded; nil if the tables
    /// agree.
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

    /// Takes over the size of the peer's table, in bytes; the next block acknowledges it.
    mutating func setTableSize(_ size: UInt32) {
        headers = nil
        let code = nghttp2_hd_deflate_change_table_size(deflater, Int(size))
        if code != 0 { failure = HTTP2Error(code: code) }
    }

    /// Returns the frame of a request, valid until the next call.
    ///
    /// - Parameters:
    ///   - header: the frame header that nghttp2 made; only the length changes.
    ///   - requestFields: path and id, encoded by `RequestFields`.
    mutating func pack(
        header: UnsafeRawBufferPointer, headers: PreparedHeaders, requestFields: UnsafeRawBufferPointer
    ) throws(HTTP2Error) -> UnsafeRawBufferPointer {
        if self.headers !== headers { try encodeShared(headers) }
        let count = sharedBytes + requestFields.count
        guard header.count >= HTTP2FrameHeaderLayout.byteCount, count <= Self.maximumBlockBytes else {
            throw .requestTooLong(count)
        }
        // Safety: `frame` has room for a frame header and the longest block, and the block's length was just checked.
        let start = frame.baseAddress.unsafelyUnwrapped
        let source = shared.baseAddress.unsafelyUnwrapped
        start.copyMemory(from: header.baseAddress.unsafelyUnwrapped, byteCount: HTTP2FrameHeaderLayout.byteCount)
        HTTP2FrameHeaderLayout.setLength(count, in: frame)
        let block = start + HTTP2FrameHeaderLayout.byteCount
        block.copyMemory(from: source, byteCount: frontBytes)
        if let bytes = requestFields.baseAddress {
            (block + frontBytes).copyMemory(from: bytes, byteCount: requestFields.count)
        }
        (block + frontBytes + requestFields.count).copyMemory(
            from: source + frontBytes, byteCount: sharedBytes - frontBytes)
        return UnsafeRawBufferPointer(rebasing: frame[..<(HTTP2FrameHeaderLayout.byteCount + count)])
    }

    @inline(never)
    private mutating func encodeShared(_ headers: PreparedHeaders) throws(HTTP2Error) {
        self.headers = nil
        if let failure { throw failure }
        let fields = headers.list.fields
        // The path comes after these, because it is a pseudo-header too: those come before all others.
        frontBytes = try encode(fields[..<PreparedHeaders.pseudoCount], at: 0)
        let authorization = headers.insertsAuthorization ? fields.count - 1 : fields.count
        var deflatedBytes = frontBytes
        deflatedBytes += try encode(fields[PreparedHeaders.pseudoCount..<authorization], at: frontBytes)
        if authorization < fields.count {
            deflatedBytes += try encodeAuthorization(fields[authorization...], at: deflatedBytes)
        }
        // `PreparedHeaders` has checked that all of this fits.
        sharedBytes = deflatedBytes + headers.secrets.count
        UnsafeMutableRawBufferPointer(rebasing: shared[deflatedBytes...]).copyBytes(from: headers.secrets)
        // If each field is a whole index of one byte (RFC 7541, section 6.1), the table contains all of them. Then the
        // block changes no table, and may be sent again. 0xFF would begin an index of more bytes.
        if deflatedBytes == fields.count, shared[..<deflatedBytes].allSatisfy({ (0x80...0xFE).contains($0) }) {
            self.headers = headers
        }
    }

    /// Encodes `authorization`, which the deflater knows by a name of the same length,
    /// ``PreparedHeaders/authorizationPlaceholder``: the entries of both tables have the same size and the same index.
    private func encodeAuthorization(
        _ field: Slice<UnsafeBufferPointer<nghttp2_nv>>, at start: Int
    ) throws(HTTP2Error) -> Int {
        let count = try encode(field, at: start)
        let first = shared[start]
        // The table contains it: the index says all (RFC 7541, section 6.1).
        guard first < 0x80, let value = field.first else { return count }
        let name = first >= 0x40 ? LiteralField.insertedAuthorizationName : LiteralField.authorizationName
        return LiteralField.write(
            name, value: UnsafeRawBufferPointer(start: value.value, count: value.valuelen),
            into: UnsafeMutableRawBufferPointer(rebasing: shared[start...]))
    }

    private func encode(_ fields: Slice<UnsafeBufferPointer<nghttp2_nv>>, at start: Int) throws(HTTP2Error) -> Int {
        let room = UnsafeMutableRawBufferPointer(rebasing: shared[start...])
        return try fields.encoded(by: deflater, into: room)
    }
}

extension Slice<UnsafeBufferPointer<nghttp2_nv>> {
    /// Encodes the fields with a deflater and returns their length in bytes.
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

/// The fields of a request that differ from all others: `:path`, and the id of the request if there is one.
enum RequestFields {
    /// The largest number of bytes that names and lengths add to path and id.
    static let maximumOverheadBytes = 20

    /// Writes the path and the id into `room`, which has `maximumOverheadBytes` more than they need. Returns the number
    /// of bytes written.
    static func write(
        path: UnsafeRawBufferPointer, requestID: UnsafeRawBufferPointer?, into room: UnsafeMutableRawBufferPointer
    ) -> Int {
        var count = LiteralField.write(LiteralField.pathName, value: path, into: room)
        if let requestID {
            count += LiteralField.write(
                LiteralField.requestIDName, value: requestID,
                into: UnsafeMutableRawBufferPointer(rebasing: room[count...]))
        }
        return count
    }
}
