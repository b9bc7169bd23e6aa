import CCarillonNghttp2

/// The nghttp2 session of a client or a server: its bytes in and out, and its end.
///
/// nghttp2 allows one thread at a time, and its callbacks may not send, receive or end the session
/// (https://nghttp2.org/documentation/programmers-guide.html). Here they record events, and call only functions that
/// read its state; the owner reads the events after `receive` or `fill`.
package final class NGHTTP2Session {
    package enum Role: Sendable { case client, server }

    /// The pointer to the session of nghttp2; nil after `close`.
    package private(set) var handle: OpaquePointer?
    /// The allocator of the session. It outlives the session: `deinit` closes that first.
    private let memory = BlockPool()
    /// The part of nghttp2's current chunk that did not fit into the caller's buffer; valid until the next `mem_send`.
    private var remainder = UnsafeRawBufferPointer(start: nil, count: 0)
    /// Releases the reference of nghttp2's user data.
    private var releaseState: (() -> Void)?

    /// Makes nghttp2's session.
    ///
    /// - Parameters:
    ///   - options: nghttp2's options, which the caller frees; they are not needed after this call.
    ///   - callbacks: nghttp2's callbacks, which the caller frees; they are not needed after this call.
    ///   - state: the object that the callbacks get as user data; it is retained until `close`.
    package init<State: AnyObject>(
        role: Role,
        options: OpaquePointer,
        callbacks: OpaquePointer,
        state: State
    ) throws(HTTP2Error) {
        // Safety: the reference is balanced in close(), after the session that has the pointer is freed.
        let reference = Unmanaged.passRetained(state)
        var session: OpaquePointer?
        // nghttp2 copies the functions (nghttp2.h, `nghttp2_session_client_new3`).
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
        handle = session
        releaseState = { reference.release() }
    }

    deinit { close() }

    /// Frees the session; a second call does nothing.
    package func close() {
        guard let session = handle else { return }
        handle = nil
        remainder = UnsafeRawBufferPointer(start: nil, count: 0)
        nghttp2_session_del(session)
        releaseState?()
        releaseState = nil
    }

    /// The pointer to the open session; throws after `close`.
    package var openHandle: OpaquePointer {
        get throws(HTTP2Error) {
            guard let handle else { throw .closed }
            return handle
        }
    }

    // MARK: Bytes

    /// Gives `bytes` to nghttp2, rewritten by `unpacker`.
    func receive(_ bytes: UnsafeRawBufferPointer, through unpacker: inout HeaderUnpacker) throws(HTTP2Error) {
        // Only the pointer is passed: this object would be retained and released at each frame.
        let session = try openHandle
        try unpacker.unpack(bytes) { plain throws(HTTP2Error) in try Self.receive(plain, into: session) }
    }

    package static func receive(_ bytes: UnsafeRawBufferPointer, into session: OpaquePointer) throws(HTTP2Error) {
        guard let start = bytes.baseAddress, !bytes.isEmpty else { return }
        let count = nghttp2_session_mem_recv(session, start.assumingMemoryBound(to: UInt8.self), bytes.count)
        if count < 0 { throw HTTP2Error(code: Int32(truncatingIfNeeded: count)) }
    }

    /// Returns true if a frame is longer than this end allows, and the peer has acknowledged that limit.
    package static func isTooLong(_ frame: UnsafeRawBufferPointer, in session: OpaquePointer) -> Bool {
        let length = frame.count - HTTP2FrameHeaderLayout.byteCount
        // No endpoint allows less (RFC 9113, section 6.5.2).
        guard length > 16_384 else { return false }
        return length > Int(nghttp2_session_get_local_settings(session, NGHTTP2_SETTINGS_MAX_FRAME_SIZE))
    }

    /// Copies outgoing bytes into `buffer`, coalescing nghttp2's small chunks. Returns how many; 0 means that nothing
    /// is left.
    ///
    /// - Parameter replace: gets each chunk and returns the bytes to send instead; valid until it is called again.
    @inline(__always)
    package func fill(
        _ buffer: UnsafeMutableRawBufferPointer,
        _ replace: (UnsafeRawBufferPointer) throws(HTTP2Error) -> UnsafeRawBufferPointer
    ) throws(HTTP2Error) -> Int {
        let session = try openHandle
        guard let target = buffer.baseAddress else { return 0 }
        var written = 0
        while written < buffer.count {
            if remainder.isEmpty {
                var chunk: UnsafePointer<UInt8>?
                let count = nghttp2_session_mem_send(session, &chunk)
                if count < 0 { throw HTTP2Error(code: Int32(truncatingIfNeeded: count)) }
                if count == 0 { break }
                remainder = try replace(UnsafeRawBufferPointer(start: chunk, count: count))
            }
            guard let source = remainder.baseAddress else { break }
            let count = min(remainder.count, buffer.count - written)
            (target + written).copyMemory(from: source, byteCount: count)
            written += count
            remainder = UnsafeRawBufferPointer(rebasing: remainder[count...])
        }
        return written
    }

    /// True if the session expects bytes.
    package var wantsRead: Bool { handle.map { nghttp2_session_want_read($0) != 0 } ?? false }

    /// True if `fill` has bytes to give.
    package var wantsWrite: Bool {
        !remainder.isEmpty || (handle.map { nghttp2_session_want_write($0) != 0 } ?? false)
    }

    // MARK: Control frames

    /// Throws the error of a result of nghttp2; 0 is success.
    package func check(_ code: Int32) throws(HTTP2Error) {
        if code != 0 { throw HTTP2Error(code: code) }
    }

    package func submit(settings: [(id: UInt32, value: UInt32)]) throws(HTTP2Error) {
        let entries = settings.map { nghttp2_settings_entry(settings_id: Int32(bitPattern: $0.id), value: $0.value) }
        try check(nghttp2_submit_settings(openHandle, flagNone, entries, entries.count))
    }

    /// Sends a PING, or the acknowledgement of the peer's.
    package func ping(_ value: UInt64, isAcknowledgement: Bool = false) throws(HTTP2Error) {
        let session = try openHandle
        let flags = isAcknowledgement ? UInt8(truncatingIfNeeded: NGHTTP2_FLAG_ACK.rawValue) : flagNone
        let code = withUnsafeBytes(of: value.bigEndian) { bytes in
            nghttp2_submit_ping(session, flags, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
        }
        try check(code)
    }

    /// Sends RST_STREAM.
    package func reset(stream: Int32, code: HTTP2ErrorCode) throws(HTTP2Error) {
        try check(nghttp2_submit_rst_stream(openHandle, flagNone, stream, code.rawValue))
    }

    package func goAway(lastStream: Int32, code: HTTP2ErrorCode, debugData: [UInt8]) throws(HTTP2Error) {
        try check(
            nghttp2_submit_goaway(openHandle, flagNone, lastStream, code.rawValue, debugData, debugData.count)
        )
    }

    /// Returns the value of a setting that the peer announced.
    func remote(_ id: nghttp2_settings_id) -> Int {
        handle.map { Int(nghttp2_session_get_remote_settings($0, id)) } ?? 0
    }
}
