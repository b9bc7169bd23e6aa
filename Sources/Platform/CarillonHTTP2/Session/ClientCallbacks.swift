import CCarillonNghttp2

/// The functions that nghttp2 calls for a client session. They record what happened, and `readBody` copies a part of a
/// request's body.
// Safety: the user data is the `ClientState`, which `NGHTTP2Session` retains until it closes the nghttp2 session, and
// a stream's user data is its slot, which is released only when the stream is closed.
enum ClientCallbacks {
    static func install(in callbacks: OpaquePointer) {
        nghttp2_session_callbacks_set_before_frame_send_callback(callbacks, beforeFrameSend)
        nghttp2_session_callbacks_set_on_header_callback(callbacks, onHeader)
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, onData)
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, onFrame)
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, onStreamClose)
        nghttp2_session_callbacks_set_error_callback2(callbacks, onError)
    }

    private static func withState(_ userData: UnsafeMutableRawPointer?, _ body: (ClientState) -> Void) {
        guard let userData else { return }
        Unmanaged<ClientState>.fromOpaque(userData)._withUnsafeGuaranteedRef(body)
    }

    /// The callback before a frame is sent: it marks a request as sent *before* its HEADERS are given out. So a request
    /// that counts as never written was certainly never written.
    private static let beforeFrameSend: nghttp2_before_frame_send_callback = { session, frame, userData in
        guard let frame else { return 0 }
        let header = frameHeader(frame)
        guard header.isType(NGHTTP2_HEADERS) else {
            if header.isType(NGHTTP2_GOAWAY) { withState(userData) { recordOwnGoAway(frame.pointee.goaway, in: $0) } }
            return 0
        }
        withState(userData) { state in
            guard let slot = state.slot(header.stream_id, in: session) else { return }
            slot.pointee.wasSent = true
            state.sendingHeaders = slot
        }
        return 0
    }

    /// Records the fault that nghttp2 reports to the peer.
    private static func recordOwnGoAway(_ goAway: nghttp2_goaway, in state: ClientState) {
        guard goAway.error_code != 0 else { return }
        state.recordViolation(UnsafeRawBufferPointer(start: goAway.opaque_data, count: goAway.opaque_data_len))
    }

    private static let onError: nghttp2_error_callback2 = { _, _, text, count, userData in
        withState(userData) { $0.recordViolation(UnsafeRawBufferPointer(start: text, count: count)) }
        return 0
    }

    /// The callback that copies the next part of a request's body into nghttp2's frame.
    static let readBody: nghttp2_data_source_read_callback = { _, _, target, capacity, flags, source, _ in
        guard let slot = source?.pointee.ptr?.assumingMemoryBound(to: ClientStream.self), let target, let flags,
            slot.pointee.bodyBytes > 0
        else { return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue) }
        return slot.pointee.copyBody(into: target, capacity: capacity, flags: flags)
    }

    private static let onHeader: nghttp2_on_header_callback = {
        session,
        frame,
        name,
        nameLength,
        value,
        valueLength,
        _,
        userData in
        guard let frame, let name, let value else { return 0 }
        let stream = frameHeader(frame).stream_id
        // `:status`, because nghttp2 reports no other pseudo-header of a response.
        if nameLength == 7, name[0] == UInt8(ascii: ":") {
            let text = UnsafeRawBufferPointer(start: value, count: valueLength)
            let status = UInt16(truncatingIfNeeded: decimalNumber(text) ?? 0)
            withState(userData) { $0.slot(stream, in: session)?.pointee.status = status }
        } else if nameLength == 11, UnsafeRawBufferPointer(start: name, count: 11).elementsEqual("retry-after".utf8) {
            let text = UnsafeRawBufferPointer(start: value, count: valueLength)
            withState(userData) { $0.slot(stream, in: session)?.pointee.retryAfter = RetryAfter(text) }
        } else if let field = AnswerField.Name(UnsafeRawBufferPointer(start: name, count: nameLength)) {
            let text = UnsafeRawBufferPointer(start: value, count: valueLength)
            withState(userData) { state in
                guard let slot = state.slot(stream, in: session) else { return }
                state.appendField(field, value: text, of: slot)
            }
        }
        return 0
    }

    private static let onData: nghttp2_on_data_chunk_recv_callback = { session, _, stream, data, count, userData in
        let bytes = UnsafeRawBufferPointer(start: data, count: count)
        withState(userData) { state in
            guard let slot = state.slot(stream, in: session) else { return }
            state.appendBody(bytes, to: slot)
        }
        return 0
    }

    private static let onFrame: nghttp2_on_frame_recv_callback = { session, frame, userData in
        guard let frame else { return 0 }
        let header = frameHeader(frame)
        if header.isType(NGHTTP2_HEADERS) || header.isType(NGHTTP2_DATA) {
            guard header.has(NGHTTP2_FLAG_END_STREAM) else { return 0 }
            withState(userData) { state in
                guard let slot = state.slot(header.stream_id, in: session) else { return }
                slot.pointee.isComplete = true
                if slot.pointee.sentBodyBytes < slot.pointee.bodyBytes {
                    state.unfinishedRequests.append(header.stream_id)
                }
            }
        } else if header.isType(NGHTTP2_RST_STREAM) {
            // This is called before the stream is closed. If a stream closes without this frame, this end has closed
            // it.
            withState(userData) { $0.slot(header.stream_id, in: session)?.pointee.isReset = true }
        } else {
            withState(userData) { recordControlFrame(session, frame: frame, header: header, in: $0) }
        }
        return 0
    }

    private static func recordControlFrame(
        _ session: OpaquePointer?,
        frame: UnsafePointer<nghttp2_frame>,
        header: nghttp2_frame_hd,
        in state: ClientState
    ) {
        if header.isType(NGHTTP2_SETTINGS) {
            let settings = frame.pointee.settings
            state.setTableSizes(UnsafeBufferPointer(start: settings.iv, count: settings.niv))
            state.append(
                header.has(NGHTTP2_FLAG_ACK) ? .settingsAcknowledged : .settings(RemoteSettings(of: session))
            )
        } else if header.isType(NGHTTP2_PING), header.has(NGHTTP2_FLAG_ACK) {
            state.append(.pingAcknowledged(pingValue(frame)))
        } else if header.isType(NGHTTP2_GOAWAY) {
            let notice = frame.pointee.goaway
            state.appendGoAway(
                lastStream: notice.last_stream_id,
                code: notice.error_code,
                debugData: UnsafeRawBufferPointer(start: notice.opaque_data, count: notice.opaque_data_len)
            )
        }
    }

    private static let onStreamClose: nghttp2_on_stream_close_callback = { session, stream, code, userData in
        withState(userData) { state in
            guard let slot = state.slot(stream, in: session) else { return }
            state.finish(slot, code: code)
        }
        return 0
    }
}

extension AnswerField.Name {
    /// Finds the field by its name; nil if it is not reported.
    fileprivate init?(_ name: UnsafeRawBufferPointer) {
        switch name.count {
        case 14 where name.elementsEqual("apns-unique-id".utf8): self = .uniqueID
        case 15 where name.elementsEqual("apns-channel-id".utf8): self = .channelID
        case 23 where name.elementsEqual("x-wns-error-description".utf8): self = .errorDescription
        default: return nil
        }
    }
}

extension RemoteSettings {
    /// Reads the settings from an nghttp2 session.
    package init(of session: OpaquePointer?) {
        func value(_ id: nghttp2_settings_id) -> Int { Int(nghttp2_session_get_remote_settings(session, id)) }
        self.init(
            maxConcurrentStreams: value(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS),
            initialWindowSize: value(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE),
            maxFrameSize: value(NGHTTP2_SETTINGS_MAX_FRAME_SIZE),
            headerTableSize: value(NGHTTP2_SETTINGS_HEADER_TABLE_SIZE),
            maxHeaderListSize: value(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE)
        )
    }
}
