import CCarillonNghttp2

/// The client's end of one HTTP/2 connection: requests and received bytes in, events and bytes to send out.
///
/// The session does no I/O and has no clock. The owner calls it from one thread at a time, in this order after bytes
/// arrive: `receive`, `takeEvents`, any number of `submit`, then `fill` until it returns 0. The preface and the
/// SETTINGS are the first bytes that `fill` gives. Streams also end in `fill` (reset by this end, or refused because of
/// a GOAWAY), so take the events after it too.
package final class HTTP2ClientSession {
    private let nghttp2: NGHTTP2Session
    private let state: ClientState
    private var unpacker = HeaderUnpacker()

    /// The most PINGs and SETTINGS whose acknowledgement is not written yet; more end the session (RFC 9113, section
    /// 10.5). All frames of a read count, because nothing is written in between.
    private static let maximumUnsentAcknowledgements = 1_000

    /// Opens a session that announces `settings`, with server push disabled.
    package init(settings: ClientSettings = ClientSettings()) throws(HTTP2Error) {
        let state = try ClientState(settings)
        self.state = state
        nghttp2 = try withOptionsAndCallbacks { options, callbacks throws(HTTP2Error) in
            nghttp2_option_set_peer_max_concurrent_streams(options, settings.initialMaxConcurrentStreams)
            nghttp2_option_set_max_outbound_ack(options, Self.maximumUnsentAcknowledgements)
            nghttp2_option_set_max_settings(options, 32)
            ClientCallbacks.install(in: callbacks)
            return try NGHTTP2Session(role: .client, options: options, callbacks: callbacks, state: state)
        }
        try nghttp2.submit(settings: [
            (NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue, 0),
            (NGHTTP2_SETTINGS_HEADER_TABLE_SIZE.rawValue, settings.headerTableSize),
            (NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE.rawValue, settings.initialWindowSize),
            (NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE.rawValue, settings.maxHeaderListSize),
        ])
        try nghttp2.check(
            nghttp2_session_set_local_window_size(nghttp2.openHandle, flagNone, 0, settings.connectionWindowSize)
        )
    }

    deinit { nghttp2.close() }

    /// Reads all of `bytes` from the peer; the result is in the events.
    ///
    /// After `protocolViolation` there may still be bytes to `fill`: the GOAWAY that tells the peer.
    package func receive(_ bytes: UnsafeRawBufferPointer) throws(HTTP2Error) {
        try nghttp2.receive(bytes, through: &unpacker)
        for stream in state.unfinishedRequests {
            try nghttp2.reset(stream: stream, code: .cancel)
        }
        state.unfinishedRequests.removeAll(keepingCapacity: true)
        if isTerminated { throw .protocolViolation }
    }

    /// Calls `handle` with every event and removes it; `bytes` are the event's body or debug data, valid during the
    /// call.
    ///
    /// `handle` may submit requests, but must not call `receive`, `fill` or `takeEvents`.
    package func takeEvents(_ handle: (_ event: ClientEvent, _ bytes: UnsafeRawBufferPointer) -> Void) {
        state.takeEvents(handle)
    }

    package var hasEvents: Bool { state.hasEvents }

    /// Copies bytes to send into `buffer`, as many as fit, and returns how many; 0 means that nothing is left to send.
    package func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(HTTP2Error) -> Int {
        try nghttp2.fill(buffer) { chunk throws(HTTP2Error) in try state.packed(chunk) }
    }

    /// Opens a stream for a request and returns its id; nothing is sent before `fill`.
    ///
    /// The session keeps `headers` and `body` until the stream is closed, and copies `path` and `requestID`, which
    /// together may have `ClientStream.maximumRequestFieldBytes`. Submit only while `availableStreams` is above 0:
    /// beyond that the request would wait inside the session.
    ///
    /// - Parameters:
    ///   - body: the part of the body that many requests have in common; nil for none.
    ///   - bodyEnd: this request's own part of the body, which comes after `body`; it is copied, and may have 8,192
    ///     bytes.
    ///   - tag: comes back with the stream's end.
    @discardableResult
    package func submit(
        headers: PreparedHeaders,
        path: UnsafeRawBufferPointer,
        requestID: UnsafeRawBufferPointer? = nil,
        body: PreparedBody?,
        bodyEnd: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0),
        tag: UInt64
    ) throws(HTTP2Error) -> Int32 {
        let session = try nghttp2.openHandle
        // nghttp2 itself would take the request and refuse it later (nghttp2.h,
        // `NGHTTP2_ERR_START_STREAM_NOT_ALLOWED`).
        if state.hasReceivedGoAway || state.hasSubmittedGoAway { throw .streamsNotAllowed }
        let length = path.count + (requestID?.count ?? 0)
        guard length <= ClientStream.maximumRequestFieldBytes else { throw .requestTooLong(length) }
        guard bodyEnd.count <= ClientStream.maximumBodyEndBytes else { throw .requestTooLong(bodyEnd.count) }

        let slot = state.slots.acquire()
        slot.pointee.tag = tag
        slot.pointee.headers = headers
        slot.pointee.body = body
        slot.pointee.write(path: path, requestID: requestID, bodyEnd: bodyEnd)

        var provider = nghttp2_data_provider()
        provider.source.ptr = UnsafeMutableRawPointer(slot)
        provider.read_callback = ClientCallbacks.readBody
        let hasBody = slot.pointee.bodyBytes > 0
        let stream = withUnsafePointer(to: provider) { provider in
            // Only the method: `RequestPacker` makes the HEADERS.
            nghttp2_submit_request(session, nil, headers.list.fields.baseAddress, 1, hasBody ? provider : nil, slot)
        }
        guard stream > 0 else {
            state.slots.release(slot)
            throw HTTP2Error(code: stream)
        }
        slot.pointee.streamID = stream
        return stream
    }

    /// Resets a stream (RST_STREAM); its `streamClosed` event follows when the reset is written.
    package func cancel(stream: Int32, code: HTTP2ErrorCode = .cancel) throws(HTTP2Error) {
        try nghttp2.reset(stream: stream, code: code)
    }

    /// Sends a PING; its answer is the event `pingAcknowledged` with the same value.
    package func ping(_ value: UInt64) throws(HTTP2Error) {
        try nghttp2.ping(value)
    }

    /// Tells the peer that this end closes the connection (GOAWAY, no error); open streams may still finish.
    package func goAway() throws(HTTP2Error) {
        state.hasSubmittedGoAway = true
        try nghttp2.goAway(lastStream: 0, code: .noError, debugData: [])
    }

    /// Frees the session; a second call does nothing. Streams still open get no event: ask `forEachOpenStream`.
    package func close() { nghttp2.close() }

    /// Calls `body` for each stream without an end yet, in no order; works after `close()` too.
    ///
    /// `wasSent` is false if the request was never written: it may be sent again freely. `status` is the final
    /// `:status` of an answer that is not whole, 0 if none came.
    package func forEachOpenStream(
        _ body: (_ tag: UInt64, _ stream: Int32, _ wasSent: Bool, _ status: UInt16) -> Void
    ) {
        state.slots.forEachOpen { slot in
            let status = slot.pointee.status
            body(slot.pointee.tag, slot.pointee.streamID, slot.pointee.wasSent, status >= 200 ? status : 0)
        }
    }

    /// The latest message of nghttp2 about a breach of the protocol by the peer, in a form that can be logged; nil if
    /// nghttp2 has reported none. After an error the message is complete only when `fill` has returned 0: a part of it
    /// is in the GOAWAY.
    package var violation: String? { state.violation }

    /// The number of streams that the peer allows at a time, now.
    package var remoteMaxConcurrentStreams: Int { nghttp2.remote(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS) }

    /// The number of body bytes that the peer's connection window takes, now.
    package var remoteConnectionWindowBytes: Int {
        nghttp2.handle.map { Int(nghttp2_session_get_remote_window_size($0)) } ?? 0
    }

    /// The number of streams that have been submitted and have not ended.
    package var openStreams: Int { state.slots.openCount }

    /// The number of requests that may be submitted now without waiting inside the session.
    package var availableStreams: Int { canSubmit ? max(0, remoteMaxConcurrentStreams - openStreams) : 0 }

    /// True if the connection takes new requests at all: false after GOAWAY, after close, or when the stream ids are
    /// used up.
    package var canSubmit: Bool {
        guard let session = nghttp2.handle, !state.hasSubmittedGoAway else { return false }
        return nghttp2_session_check_request_allowed(session) != 0
    }

    /// True if the session expects bytes; if it neither wants to read nor to write, the connection is over.
    package var wantsRead: Bool { nghttp2.wantsRead }

    /// True if `fill` has bytes to give.
    package var wantsWrite: Bool { nghttp2.wantsWrite }

    /// True if nghttp2 has ended the session, because the peer broke the protocol.
    private var isTerminated: Bool {
        guard let session = nghttp2.handle, !state.hasReceivedGoAway, !state.hasSubmittedGoAway else { return false }
        return nghttp2_session_check_request_allowed(session) == 0
            && nghttp2_session_get_next_stream_id(session) <= UInt32(Int32.max)
    }
}
