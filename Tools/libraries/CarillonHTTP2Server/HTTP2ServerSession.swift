import CCarillonNghttp2
package import CarillonHTTP2

/// The server's end of one HTTP/2 connection. It takes received bytes and answers, and gives events and bytes to send.
///
/// It does no I/O and has no clock. The owner calls it from one thread at a time: `receive`, `takeEvents`, any answers
/// (at once or later), then `fill` until it returns 0.
package final class HTTP2ServerSession {
    private let nghttp2: NGHTTP2Session
    private let state: ServerState
    private var unpacker: RequestUnpacker
    package private(set) var receivedPings = 0
    package var answersPings = true

    /// Opens a session that announces `settings`.
    package init(settings: HTTP2ServerSettings = HTTP2ServerSettings()) throws(HTTP2Error) {
        let state = ServerState(settings: settings)
        self.state = state
        unpacker = RequestUnpacker(settings: settings)
        nghttp2 = try withOptionsAndCallbacks { options, callbacks throws(HTTP2Error) in
            nghttp2_option_set_max_outbound_ack(options, 100)
            // The session answers PINGs itself, so that its owner can leave them unanswered.
            nghttp2_option_set_no_auto_ping_ack(options, 1)
            nghttp2_option_set_max_settings(options, 32)
            nghttp2_option_set_stream_reset_rate_limit(
                options,
                settings.resetLimit.burst,
                settings.resetLimit.perSecond
            )
            // Closed streams are kept only for the priorities of RFC 7540, which APNs ignores.
            nghttp2_option_set_no_closed_streams(options, 1)
            // nghttp2 gets no fields: `RequestRules` checks them.
            nghttp2_option_set_no_http_messaging(options, 1)
            ServerCallbacks.install(in: callbacks)
            return try NGHTTP2Session(role: .server, options: options, callbacks: callbacks, state: state)
        }
        try nghttp2.submit(settings: [
            (NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue, settings.maxConcurrentStreams),
            (NGHTTP2_SETTINGS_HEADER_TABLE_SIZE.rawValue, settings.headerTableSize),
            (NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE.rawValue, settings.initialWindowSize),
            (NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE.rawValue, settings.maxHeaderListSize),
            (NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES.rawValue, 1),
        ])
        try nghttp2.check(
            nghttp2_session_set_local_window_size(nghttp2.openHandle, flagNone, 0, settings.connectionWindowSize)
        )
    }

    deinit { nghttp2.close() }

    /// Takes all of `bytes` from the client, and records the events that they mean.
    ///
    /// Throws `tooManyStreams` at the first stream above the announced and acknowledged limit. The bytes after it are
    /// lost, and the owner can only call `goAway` and `fill`, and close.
    package func receive(_ bytes: UnsafeRawBufferPointer) throws(HTTP2Error) {
        do {
            try unpacker.unpack(bytes, into: state, session: nghttp2.openHandle)
            for (stream, code) in state.removeRefused() { try nghttp2.reset(stream: stream, code: code) }
            try answerPings()
        } catch {
            throw state.hasTooManyStreams ? .tooManyStreams : error
        }
    }

    private func answerPings() throws(HTTP2Error) {
        guard !state.pings.isEmpty else { return }
        receivedPings += state.pings.count
        defer { state.pings.removeAll(keepingCapacity: true) }
        guard answersPings else { return }
        for value in state.pings { try nghttp2.ping(value, isAcknowledgement: true) }
    }

    /// Calls `handle` with every event and removes it.
    ///
    /// `handle` may answer, but must not call `receive`, `fill` or `takeEvents`.
    package func takeEvents(_ handle: (ServerEvent) -> Void) { state.takeEvents(handle) }

    /// Copies as many bytes to send into `buffer` as fit, and returns their number; 0 if no bytes are left to send.
    package func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(HTTP2Error) -> Int {
        try nghttp2.fill(buffer) { chunk throws(HTTP2Error) in state.packed(chunk) }
    }

    /// Answers a request, with an `apns-id` of at most 64 bytes if given. The answer is not sent before `fill`.
    ///
    /// Throws `unknownStream` if the stream is closed or answered already.
    /// - Parameter frameBytes: the limit of body bytes in one DATA frame; at least 1.
    package func respond(
        to stream: Int32,
        with answer: PreparedResponse,
        requestID: UnsafeRawBufferPointer? = nil,
        body: PreparedBody? = nil,
        frameBytes: Int = .max
    ) throws(HTTP2Error) {
        let session = try nghttp2.openHandle
        guard let slot = ServerCallbacks.slot(session, of: stream), !slot.pointee.isAnswered, !slot.pointee.isRefused
        else {
            throw .unknownStream
        }
        if let requestID, requestID.count > ServerStream.maximumIDBytes { throw .requestTooLong(requestID.count) }

        slot.pointee.setAnswer(answer, requestID: requestID)
        slot.pointee.answerBody = body
        slot.pointee.answerFrameBytes = max(1, frameBytes)

        var provider = nghttp2_data_provider()
        provider.source.ptr = UnsafeMutableRawPointer(slot)
        provider.read_callback = ServerCallbacks.readAnswer
        let hasBody = body.map { !$0.bytes.isEmpty } ?? false
        let code = withUnsafePointer(to: provider) { provider in
            // Without fields: `ResponsePacker` makes the HEADERS.
            nghttp2_submit_response(session, stream, nil, 0, hasBody ? provider : nil)
        }
        try nghttp2.check(code)
    }

    package func reset(stream: Int32, code: HTTP2ErrorCode) throws(HTTP2Error) {
        try nghttp2.reset(stream: stream, code: code)
    }

    /// Announces another limit of streams, which applies once the client has acknowledged it.
    package func update(maxConcurrentStreams: UInt32) throws(HTTP2Error) {
        try nghttp2.submit(settings: [(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue, maxConcurrentStreams)])
    }

    /// Announces another receive window for streams, in bytes, which may make windows in use negative.
    package func update(initialWindowSize: UInt32) throws(HTTP2Error) {
        try nghttp2.submit(settings: [(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE.rawValue, initialWindowSize)])
    }

    /// Announces settings by their numbers (RFC 9113, section 6.5.2), known or not.
    ///
    /// Throws `library` for a value that the RFC forbids.
    package func update(settings: [(id: UInt32, value: UInt32)]) throws(HTTP2Error) {
        for (id, value) in settings where id == NGHTTP2_SETTINGS_HEADER_TABLE_SIZE.rawValue {
            unpacker.allowTable(value)
        }
        try nghttp2.submit(settings: settings)
    }

    /// Tells the client that no stream above `lastStreamID` was or will be processed (GOAWAY).
    ///
    /// `lastStreamID` may only fall from one call to the next.
    package func goAway(lastStreamID: Int32, code: HTTP2ErrorCode, debugData: [UInt8] = []) throws(HTTP2Error) {
        try nghttp2.goAway(lastStream: lastStreamID, code: code, debugData: debugData)
    }

    /// Announces that a GOAWAY will follow, without refusing any stream yet (RFC 9113, section 6.8).
    package func shutdownNotice() throws(HTTP2Error) {
        try nghttp2.check(nghttp2_submit_shutdown_notice(nghttp2.openHandle))
    }

    /// Sends a PING. Its answer is the event `pingAcknowledged` with the same value.
    package func ping(_ value: UInt64) throws(HTTP2Error) { try nghttp2.ping(value) }

    /// Frees the session. A second call has no effect.
    package func close() { nghttp2.close() }

    /// The newest stream that the client has opened; 0 if it has opened none.
    package var lastStreamID: Int32 { state.lastStream }

    package var openStreams: Int { state.openStreams }

    /// True if the session expects bytes. If it neither wants to read nor to write, the connection is over.
    package var wantsRead: Bool { nghttp2.wantsRead }

    /// True if `fill` has bytes to give.
    package var wantsWrite: Bool { nghttp2.wantsWrite }
}
