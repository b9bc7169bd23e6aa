internal import CCarillonNghttp2

/// What client and server sessions share: the nghttp2 session, its bytes in and out, and its end.
///
/// nghttp2 allows one thread at a time, and none of its functions from inside its callbacks: callbacks only note
/// what happened, and the owner reads the notes after `receive` or `fill`.
final class Engine {
    private(set) var session: OpaquePointer?
    /// Outlives the session: `deinit` closes it first.
    private let memory = BlockPool()
    /// What of nghttp2's current chunk did not fit in the caller's buffer; valid until the next `mem_send`.
    private var rest = UnsafeRawBufferPointer(start: nil, count: 0)
    /// Gives back the reference that nghttp2's user data holds.
    private var releaseState: (() -> Void)?

    /// Makes a session whose callbacks get `state` as user data.
    init<State: AnyObject>(
        role: Role,
        options: OpaquePointer,
        callbacks: OpaquePointer,
        state: State
    ) throws(HTTP2Error) {
        // Safety: the reference is balanced in close(), after the session that bears the pointer is gone.
        let reference = Unmanaged.passRetained(state)
        var session: OpaquePointer?
        // nghttp2 copies the functions.
        var functions = memory.functions
        let code =
            switch role {
            case .client: nghttp2_session_client_new3(&session, callbacks, reference.toOpaque(), options, &functions)
            case .server: nghttp2_session_server_new3(&session, callbacks, reference.toOpaque(), options, &functions)
            }
        guard code == 0, let session else {
            reference.release()
            throw HTTP2Error(code: code)
        }
        self.session = session
        releaseState = { reference.release() }
    }

    enum Role { case client, server }

    deinit { close() }

    /// Frees the session; a second call does nothing.
    func close() {
        guard let session else { return }
        self.session = nil
        rest = UnsafeRawBufferPointer(start: nil, count: 0)
        nghttp2_session_del(session)
        releaseState?()
        releaseState = nil
    }

    /// The open session.
    var open: OpaquePointer {
        get throws(HTTP2Error) {
            guard let session else { throw .closed }
            return session
        }
    }

    /// Takes what `unpacker` makes of `bytes`.
    func receive(_ bytes: UnsafeRawBufferPointer, through unpacker: inout HeaderUnpacker) throws(HTTP2Error) {
        // The pointer alone: the engine would be retained and released at each frame.
        let session = try open
        try unpacker.unpack(bytes) { plain throws(HTTP2Error) in try Self.receive(plain, session) }
    }

    /// Gives bytes to nghttp2.
    static func receive(_ bytes: UnsafeRawBufferPointer, _ session: OpaquePointer) throws(HTTP2Error) {
        guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
        let count = nghttp2_session_mem_recv(session, start.assumingMemoryBound(to: UInt8.self), bytes.count)
        if count < 0 { throw HTTP2Error(code: Int32(truncatingIfNeeded: count)) }
    }

    /// Whether a frame is longer than we have allowed, and the peer has seen that we do.
    static func isTooLong(_ frame: UnsafeRawBufferPointer, _ session: OpaquePointer) -> Bool {
        let length = frame.count - FrameSplitter.headSize
        // No endpoint allows less (RFC 9113, section 6.5.2).
        guard length > 16_384 else { return false }
        return length > Int(nghttp2_session_get_local_settings(session, NGHTTP2_SETTINGS_MAX_FRAME_SIZE))
    }

    /// Copies outgoing bytes into `buffer`, coalescing nghttp2's small chunks; 0 means that nothing is left.
    ///
    /// - Parameter replace: is given each chunk and says what leaves instead; valid until it is called again.
    @inline(__always)
    func fill(
        _ buffer: UnsafeMutableRawBufferPointer,
        _ replace: (UnsafeRawBufferPointer) throws(HTTP2Error) -> UnsafeRawBufferPointer
    ) throws(HTTP2Error) -> Int {
        let session = try open
        guard let target = buffer.baseAddress else { return 0 }
        var written = 0
        while written < buffer.count {
            if rest.isEmpty {
                var chunk: UnsafePointer<UInt8>?
                let count = nghttp2_session_mem_send(session, &chunk)
                if count < 0 { throw HTTP2Error(code: Int32(truncatingIfNeeded: count)) }
                if count == 0 { break }
                rest = try replace(UnsafeRawBufferPointer(start: chunk, count: count))
            }
            guard let source = rest.baseAddress else { break }
            let count = min(rest.count, buffer.count - written)
            (target + written).copyMemory(from: source, byteCount: count)
            written += count
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
        return written
    }

    var wantsRead: Bool { session.map { nghttp2_session_want_read($0) != 0 } ?? false }
    var wantsWrite: Bool { !rest.isEmpty || (session.map { nghttp2_session_want_write($0) != 0 } ?? false) }

    func check(_ code: Int32) throws(HTTP2Error) {
        if code != 0 { throw HTTP2Error(code: code) }
    }

    func submit(settings: [(id: UInt32, value: UInt32)]) throws(HTTP2Error) {
        let entries = settings.map { nghttp2_settings_entry(settings_id: Int32(bitPattern: $0.id), value: $0.value) }
        try check(nghttp2_submit_settings(open, flagNone, entries, entries.count))
    }

    func ping(_ opaque: UInt64, isAcknowledgement: Bool = false) throws(HTTP2Error) {
        let session = try open
        let flags = isAcknowledgement ? UInt8(truncatingIfNeeded: NGHTTP2_FLAG_ACK.rawValue) : flagNone
        let code = withUnsafeBytes(of: opaque.bigEndian) { bytes in
            nghttp2_submit_ping(session, flags, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
        }
        try check(code)
    }

    func reset(stream: Int32, code: ErrorCode) throws(HTTP2Error) {
        try check(nghttp2_submit_rst_stream(open, flagNone, stream, code.rawValue))
    }

    func goAway(lastStream: Int32, code: ErrorCode, debugData: [UInt8]) throws(HTTP2Error) {
        try check(
            nghttp2_submit_goaway(open, flagNone, lastStream, code.rawValue, debugData, debugData.count)
        )
    }

    /// The value of a setting that the peer announced.
    func remote(_ id: nghttp2_settings_id) -> Int {
        session.map { Int(nghttp2_session_get_remote_settings($0, id)) } ?? 0
    }
}

let flagNone = UInt8(truncatingIfNeeded: NGHTTP2_FLAG_NONE.rawValue)

/// The nine bytes that begin each frame, read without copying the whole union.
func frameHeader(_ frame: UnsafePointer<nghttp2_frame>) -> nghttp2_frame_hd {
    UnsafeRawPointer(frame).load(as: nghttp2_frame_hd.self)
}

extension nghttp2_frame_hd {
    func isType(_ type: nghttp2_frame_type) -> Bool { UInt32(self.type) == UInt32(type.rawValue) }
    func has(_ flag: nghttp2_flag) -> Bool { UInt32(flags) & UInt32(flag.rawValue) != 0 }
}

/// The option and callback tables of nghttp2, made for one call and freed after it.
func withTables<Result>(
    _ body: (_ options: OpaquePointer, _ callbacks: OpaquePointer) throws(HTTP2Error) -> Result
) throws(HTTP2Error) -> Result {
    var options: OpaquePointer?
    var callbacks: OpaquePointer?
    defer {
        nghttp2_option_del(options)
        nghttp2_session_callbacks_del(callbacks)
    }
    guard nghttp2_option_new(&options) == 0, nghttp2_session_callbacks_new(&callbacks) == 0, let options, let callbacks
    else { throw .outOfMemory }
    return try body(options, callbacks)
}

/// The value of a PING frame.
func pingValue(_ frame: UnsafePointer<nghttp2_frame>) -> UInt64 {
    withUnsafeBytes(of: frame.pointee.ping.opaque_data) { UInt64(bigEndian: $0.loadUnaligned(as: UInt64.self)) }
}

/// Copies the next piece of a body into nghttp2's frame and marks the last one; returns its length.
func copyBody(
    _ body: PreparedBody,
    sent: inout Int,
    into target: UnsafeMutablePointer<UInt8>,
    capacity: Int,
    flags: UnsafeMutablePointer<UInt32>
) -> Int {
    let count = min(capacity, body.bytes.count - sent)
    if count > 0, let start = body.bytes.baseAddress {
        UnsafeMutableRawPointer(target).copyMemory(from: start + sent, byteCount: count)
    }
    sent += count
    if sent == body.bytes.count { flags.pointee |= UInt32(NGHTTP2_DATA_FLAG_EOF.rawValue) }
    return count
}
