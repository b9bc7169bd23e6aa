import CCarillonNghttp2
import CarillonHTTP2

/// The functions that nghttp2 calls for a server session. Each only records what happened.
// Safety: the user data is the `ServerState`, which `NGHTTP2Session` retains until it closes the nghttp2 session, and
// a stream's user data is its slot, which is released only after the stream is closed.
enum ServerCallbacks {
    static func install(in callbacks: OpaquePointer) {
        nghttp2_session_callbacks_set_on_begin_frame_callback(callbacks, onBeginFrame)
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, onBeginHeaders)
        nghttp2_session_callbacks_set_before_frame_send_callback(callbacks, beforeFrameSend)
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, onData)
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, onFrame)
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, onStreamClose)
    }

    static func slot(_ session: OpaquePointer?, of stream: Int32) -> ServerState.Slot? {
        nghttp2_session_get_stream_user_data(session, stream)?.assumingMemoryBound(to: ServerStream.self)
    }

    private static func withState<Result>(
        _ userData: UnsafeMutableRawPointer?,
        or none: Result,
        _ body: (ServerState) -> Result
    ) -> Result {
        guard let userData else { return none }
        return Unmanaged<ServerState>.fromOpaque(userData)._withUnsafeGuaranteedRef(body)
    }

    /// The callback that stops at a stream above the limit that the client has acknowledged, before nghttp2 ends the
    /// session in its own way. So the owner decides how the session ends.
    private static let onBeginFrame: nghttp2_on_begin_frame_callback = { session, header, userData in
        guard let header, header.pointee.isType(NGHTTP2_HEADERS) else { return 0 }
        let stream = header.pointee.stream_id
        return withState(userData, or: 0) { state in
            let limit = nghttp2_session_get_local_settings(session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
            if stream <= state.lastStream || state.openStreams < Int(limit) { return 0 }
            state.hasTooManyStreams = true
            return NGHTTP2_ERR_CALLBACK_FAILURE.rawValue
        }
    }

    private static let onBeginHeaders: nghttp2_on_begin_headers_callback = { session, frame, userData in
        guard let frame, frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST else { return 0 }
        let stream = frameHeader(frame).stream_id
        return withState(userData, or: 0) { state in
            nghttp2_session_set_stream_user_data(session, stream, state.begin(stream))
            return 0
        }
    }

    /// The callback that records the stream whose header block comes next.
    private static let beforeFrameSend: nghttp2_before_frame_send_callback = { session, frame, userData in
        guard let frame else { return 0 }
        let header = frameHeader(frame)
        guard header.isType(NGHTTP2_HEADERS) else { return 0 }
        return withState(userData, or: 0) { state in
            state.sendingHeaders = state.slot(header.stream_id, in: session)
            return 0
        }
    }

    private static let onData: nghttp2_on_data_chunk_recv_callback = { session, _, stream, data, count, userData in
        let bytes = UnsafeRawBufferPointer(start: data, count: count)
        return withState(userData, or: 0) { state in
            guard let slot = state.slot(stream, in: session) else { return 0 }
            slot.pointee.bodyLength += count
            _ = slot.pointee.body.append(bytes, limit: state.maximumBodyBytes)
            return 0
        }
    }

    private static let onFrame: nghttp2_on_frame_recv_callback = { session, frame, userData in
        guard let frame else { return 0 }
        let header = frameHeader(frame)
        return withState(userData, or: 0) { state in
            if header.isType(NGHTTP2_HEADERS) || header.isType(NGHTTP2_DATA) {
                guard let slot = state.slot(header.stream_id, in: session) else { return 0 }
                let isLast = header.has(NGHTTP2_FLAG_END_STREAM)
                if header.isType(NGHTTP2_HEADERS) {
                    let isFirst = frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST
                    state.assignFields(slot, areFirst: isFirst, areLast: isLast)
                }
                if isLast { state.complete(slot) }
            } else if header.isType(NGHTTP2_SETTINGS) {
                let isAcknowledgement = header.has(NGHTTP2_FLAG_ACK)
                state.append(isAcknowledgement ? .settingsAcknowledged : .settings(RemoteSettings(of: session)))
            } else if header.isType(NGHTTP2_PING) {
                if header.has(NGHTTP2_FLAG_ACK) {
                    state.append(.pingAcknowledged(pingValue(frame)))
                } else {
                    state.pings.append(pingValue(frame))
                }
            } else if header.isType(NGHTTP2_GOAWAY) {
                state.append(.goAway(errorCode: HTTP2ErrorCode(rawValue: frame.pointee.goaway.error_code)))
            }
            return 0
        }
    }

    private static let onStreamClose: nghttp2_on_stream_close_callback = { session, stream, code, userData in
        withState(userData, or: 0) { state in
            guard let slot = state.slot(stream, in: session) else { return 0 }
            state.finish(slot, code: code)
            return 0
        }
    }

    /// The callback that copies the next part of an answer's body into nghttp2's frame.
    static let readAnswer: nghttp2_data_source_read_callback = { _, _, target, capacity, flags, source, _ in
        guard let slot = source?.pointee.ptr?.assumingMemoryBound(to: ServerStream.self), let target, let flags,
            let body = slot.pointee.answerBody
        else { return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue) }
        return copyBody(
            body, sent: &slot.pointee.answerSent, into: target, capacity: min(capacity, slot.pointee.answerFrameBytes),
            flags: flags)
    }
}
