import CarillonHTTP2

/// A reader of the header blocks of requests. It takes the fields out of each block, and gives them to `ServerState`.
///
/// nghttp2 gets all frames, because it keeps streams and windows, and judges malformed input. A frame with a header
/// block goes to nghttp2 without the fields, but a malformed frame goes unchanged. If the block is malformed, nghttp2
/// gets one invalid byte in its place.
struct RequestUnpacker: ~Copyable {
    private var splitter = FrameSplitter(from: .client)
    private var reader: HeaderReader
    /// The block so far of a request whose block comes in several frames.
    private var block = ByteStore()
    /// The stream of that request; 0 if there is no such request.
    private var stream: UInt32 = 0
    /// The memory for the frame that nghttp2 gets instead of the original.
    private let scratch = UnsafeMutableRawBufferPointer.allocate(
        byteCount: HTTP2FrameHeaderLayout.byteCount + maximumSizeBytes, alignment: 16)

    /// The longest block, in bytes of all its frames.
    private static let maximumBlockBytes = 64 << 10
    /// The limit of bytes for two new sizes of the table (RFC 7541, section 4.2).
    private static let maximumSizeBytes = 16

    init(settings: HTTP2ServerSettings) {
        reader = HeaderReader(tableSize: settings.headerTableSize)
    }

    deinit {
        var block = block
        block.free()
        scratch.deallocate()
    }

    mutating func allowTable(_ size: UInt32) { reader.allowTable(size) }

    /// Takes all of `bytes`. An incomplete frame at the end waits for its rest.
    mutating func unpack(
        _ bytes: UnsafeRawBufferPointer, into state: ServerState, session: OpaquePointer
    ) throws(HTTP2Error) {
        var remaining = bytes
        while let part = splitter.next(&remaining) {
            switch part {
            case .other(let bytes): try NGHTTP2Session.receive(bytes, into: session)
            case .headers(let frame): try unpack(frame: frame, into: state, session: session)
            }
        }
    }

    private mutating func unpack(
        frame: UnsafeRawBufferPointer, into state: ServerState, session: OpaquePointer
    ) throws(HTTP2Error) {
        let number = frame.loadUnaligned(fromByteOffset: 5, as: UInt32.self)
        let isFirst = frame[HTTP2FrameHeaderLayout.typeOffset] == HTTP2FrameHeaderLayout.headersType
        let isLast = frame[HTTP2FrameHeaderLayout.flagsOffset] & HTTP2FrameHeaderLayout.endHeadersFlag != 0
        guard isFirst || stream == number, !NGHTTP2Session.isTooLong(frame, in: session),
            let fragment = isFirst ? Self.fragment(of: frame) : Self.readPayload(of: frame)
        else { return try NGHTTP2Session.receive(frame, into: session) }
        stream = isLast ? 0 : number
        if isFirst, isLast { return try unpackBlock(fragment, of: frame, into: state, session: session) }
        if isFirst { block.removeAll() }
        guard block.append(fragment, limit: Self.maximumBlockBytes) else {
            return try forwardInvalidBlock(of: frame, to: session)
        }
        guard isLast else {
            return try forward(UnsafeRawBufferPointer(rebasing: fragment[..<0]), of: frame, to: session)
        }
        try unpackBlock(block.bytes, of: frame, into: state, session: session)
    }

    private static func readPayload(of frame: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: frame[HTTP2FrameHeaderLayout.byteCount...])
    }

    /// Returns the header block in a frame HEADERS (RFC 9113, section 6.2), without padding and RFC 7540's priority;
    /// nil if the frame is malformed.
    private static func fragment(of frame: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        let payload = readPayload(of: frame)
        let isPadded = frame[HTTP2FrameHeaderLayout.flagsOffset] & HTTP2FrameHeaderLayout.paddedFlag != 0
        let hasPriority = frame[HTTP2FrameHeaderLayout.flagsOffset] & HTTP2FrameHeaderLayout.priorityFlag != 0
        guard isPadded || hasPriority else { return payload }
        guard !payload.isEmpty else { return nil }
        let start = (isPadded ? 1 : 0) + (hasPriority ? 5 : 0)
        let end = payload.count - (isPadded ? Int(payload[0]) : 0)
        return start <= end ? UnsafeRawBufferPointer(rebasing: payload[start..<end]) : nil
    }

    /// Reads a whole block, and gives its last frame to nghttp2 without the fields.
    private mutating func unpackBlock(
        _ block: UnsafeRawBufferPointer, of original: UnsafeRawBufferPointer, into state: ServerState,
        session: OpaquePointer
    ) throws(HTTP2Error) {
        state.newFields.pointee.removeAll()
        let sizes = reader.read(block, into: &state.newFields.pointee, limit: state.maximumHeaderBytes)
        guard let sizes, sizes <= Self.maximumSizeBytes else {
            return try forwardInvalidBlock(of: original, to: session)
        }
        state.hasNewFields = true
        defer { state.hasNewFields = false }
        // nghttp2 checks new sizes of the table.
        try forward(UnsafeRawBufferPointer(rebasing: block[..<sizes]), of: original, to: session)
    }

    /// Gives a frame with the same frame header as the original and another payload to nghttp2.
    private func forward(
        _ payload: UnsafeRawBufferPointer, of original: UnsafeRawBufferPointer, to session: OpaquePointer
    ) throws(HTTP2Error) {
        // Nine bytes with two stores: a copy of unknown length would cost a call.
        scratch.storeBytes(of: original.loadUnaligned(as: UInt64.self), as: UInt64.self)
        scratch[8] = original[8]
        if !payload.isEmpty {
            UnsafeMutableRawBufferPointer(rebasing: scratch[HTTP2FrameHeaderLayout.byteCount...]).copyMemory(
                from: payload)
        }
        HTTP2FrameHeaderLayout.setLength(payload.count, in: scratch)
        // Not `&=`: Swift 6.3 with ThreadSanitizer crashes on a compound assignment to a byte of a raw buffer.
        if original[HTTP2FrameHeaderLayout.typeOffset] == HTTP2FrameHeaderLayout.headersType {
            scratch[HTTP2FrameHeaderLayout.flagsOffset] =
                scratch[HTTP2FrameHeaderLayout.flagsOffset]
                & ~(HTTP2FrameHeaderLayout.paddedFlag | HTTP2FrameHeaderLayout.priorityFlag)
        }
        try NGHTTP2Session.receive(
            UnsafeRawBufferPointer(rebasing: scratch[..<(HTTP2FrameHeaderLayout.byteCount + payload.count)]),
            into: session)
    }

    /// Gives an invalid block to nghttp2: an indexed field without an index (RFC 7541, section 6.1).
    private func forwardInvalidBlock(
        of original: UnsafeRawBufferPointer, to session: OpaquePointer
    ) throws(HTTP2Error) {
        try withUnsafeBytes(of: UInt8(0x80)) { invalid throws(HTTP2Error) in
            try forward(invalid, of: original, to: session)
        }
    }
}
