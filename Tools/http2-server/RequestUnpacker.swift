/// Reads the headers of requests on their way to nghttp2, which sees their frames with nothing in them.
///
/// nghttp2 keeps streams and windows and judges frames; the fields go to `ServerState`. All that is not well formed it
/// judges too: a frame it is given as it came, and for a block that is none one byte that is none.
struct RequestUnpacker: ~Copyable {
    private var splitter = FrameSplitter(from: .client)
    private var reader: HeaderReader
    /// The block of a request so far that came in several frames.
    private var block = ByteStore()
    /// The stream of that request; 0 if there is none.
    private var stream: UInt32 = 0
    private let frame = UnsafeMutableRawBufferPointer.allocate(
        byteCount: FrameSplitter.headSize + maxSizes, alignment: 16)

    /// The longest block, in bytes of all its frames.
    private static let maxBlock = 64 << 10
    /// Two new sizes of the table (RFC 7541, section 4.2) fit into so many bytes.
    private static let maxSizes = 16

    init(settings: ServerSettings) {
        reader = HeaderReader(tableSize: settings.headerTableSize)
    }

    deinit {
        var block = block
        block.free()
        frame.deallocate()
    }

    /// The size of the table is announced anew.
    mutating func allowTable(_ size: UInt32) { reader.allowTable(size) }

    /// Takes all of `bytes`, but for a frame that has not come whole.
    mutating func unpack(
        _ bytes: UnsafeRawBufferPointer, _ state: ServerState, _ session: OpaquePointer
    ) throws(HTTP2Error) {
        var rest = bytes
        while let piece = splitter.next(&rest) {
            switch piece {
            case .other(let bytes): try Engine.receive(bytes, session)
            case .headers(let frame): try take(frame, state, session)
            }
        }
    }

    private mutating func take(
        _ frame: UnsafeRawBufferPointer, _ state: ServerState, _ session: OpaquePointer
    ) throws(HTTP2Error) {
        let number = frame.loadUnaligned(fromByteOffset: 5, as: UInt32.self)
        let isFirst = frame[3] == FrameHead.headers
        let isLast = frame[4] & FrameHead.endHeaders != 0
        guard isFirst || stream == number, !Engine.isTooLong(frame, session),
            let fragment = isFirst ? Self.fragment(of: frame) : Self.payload(of: frame)
        else { return try Engine.receive(frame, session) }
        stream = isLast ? 0 : number
        if isFirst, isLast { return try read(fragment, head: frame, state, session) }
        if isFirst { block.removeAll() }
        guard block.append(fragment, limit: Self.maxBlock) else { return try handNone(head: frame, session) }
        guard isLast else { return try hand(UnsafeRawBufferPointer(rebasing: fragment[..<0]), head: frame, session) }
        try read(block.bytes, head: frame, state, session)
    }

    private static func payload(of frame: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: frame[FrameSplitter.headSize...])
    }

    /// What of a frame HEADERS is block (RFC 9113, section 6.2), without padding and what RFC 7540 called priority.
    private static func fragment(of frame: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        let payload = payload(of: frame)
        let (isPadded, hasPriority) = (frame[4] & FrameHead.padded != 0, frame[4] & FrameHead.priority != 0)
        guard isPadded || hasPriority else { return payload }
        guard !payload.isEmpty else { return nil }
        let start = (isPadded ? 1 : 0) + (hasPriority ? 5 : 0)
        let end = payload.count - (isPadded ? Int(payload[0]) : 0)
        return start <= end ? UnsafeRawBufferPointer(rebasing: payload[start..<end]) : nil
    }

    private mutating func read(
        _ block: UnsafeRawBufferPointer, head: UnsafeRawBufferPointer, _ state: ServerState, _ session: OpaquePointer
    ) throws(HTTP2Error) {
        state.freshFields.pointee.removeAll()
        let sizes = reader.read(block, into: &state.freshFields.pointee, limit: state.maxHeaderBytes)
        guard let sizes, sizes <= Self.maxSizes else { return try handNone(head: head, session) }
        state.hasFreshFields = true
        defer { state.hasFreshFields = false }
        // nghttp2 judges new sizes of the table.
        try hand(UnsafeRawBufferPointer(rebasing: block[..<sizes]), head: head, session)
    }

    /// Gives nghttp2 a frame with its head and another payload.
    private func hand(
        _ payload: UnsafeRawBufferPointer, head: UnsafeRawBufferPointer, _ session: OpaquePointer
    ) throws(HTTP2Error) {
        // The head's nine bytes at once: a copy of a length that is not known costs a call.
        frame.storeBytes(of: head.loadUnaligned(as: UInt64.self), as: UInt64.self)
        frame[8] = head[8]
        if !payload.isEmpty {
            UnsafeMutableRawBufferPointer(rebasing: frame[FrameSplitter.headSize...]).copyMemory(from: payload)
        }
        FrameHead.setLength(payload.count, in: frame)
        if head[3] == FrameHead.headers { frame[4] &= ~(FrameHead.padded | FrameHead.priority) }
        try Engine.receive(
            UnsafeRawBufferPointer(rebasing: frame[..<(FrameSplitter.headSize + payload.count)]), session)
    }

    /// Gives nghttp2 a block that is none: an indexed field without an index (RFC 7541, section 6.1).
    private func handNone(head: UnsafeRawBufferPointer, _ session: OpaquePointer) throws(HTTP2Error) {
        try withUnsafeBytes(of: UInt8(0x80)) { none throws(HTTP2Error) in try hand(none, head: head, session) }
    }
}
