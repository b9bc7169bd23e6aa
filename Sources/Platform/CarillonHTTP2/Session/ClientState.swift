import CCarillonNghttp2

/// The state of a client session that nghttp2's callbacks change.
final class ClientState {
    let slots = Slab<ClientStream>()
    let maximumBodyBytes: Int
    /// The number of bytes that answers' bodies may still have, of all open streams together.
    private var bodyRoom: Int
    /// The last message of nghttp2 about a breach of the protocol, in either direction; nil if nghttp2 has reported
    /// none.
    private(set) var violation: String?
    /// Streams that were answered before their request was sent completely.
    var unfinishedRequests: [Int32] = []
    var hasReceivedGoAway = false
    var hasSubmittedGoAway = false
    /// The stream whose HEADERS are sent next, set by the callback before it.
    var sendingHeaders: Slab<ClientStream>.Slot?
    private var packer: RequestPacker
    /// The stream of the last callback: the next callback is nearly always about the same stream.
    private var current: Slab<ClientStream>.Slot?
    private let events = CallbackList<ClientEvent>(capacity: 256)
    /// The bodies, values of fields and debug data of `events`, in the order of the events.
    private let bytes = CallbackList<UInt8>()

    static let maximumDebugDataBytes = 1 << 10
    /// The longest value of a field that is reported, in bytes.
    static let maximumFieldBytes = 1 << 10
    /// The longest text of a violation, in bytes: it may quote the peer.
    static let maximumViolationBytes = 200

    init(_ settings: ClientSettings) throws(HTTP2Error) {
        packer = try RequestPacker()
        maximumBodyBytes = max(0, min(settings.maximumBodyBytes, 4 << 20))
        bodyRoom = max(0, settings.maximumTotalBodyBytes)
    }

    /// Returns the slot of a stream; nil if it is closed or not of this session.
    func slot(_ stream: Int32, in session: OpaquePointer?) -> Slab<ClientStream>.Slot? {
        if let current, current.pointee.streamID == stream { return current }
        // Safety: nghttp2's user data of a stream is its slot, from `submit` to `finish`.
        let slot = nghttp2_session_get_stream_user_data(session, stream)?.assumingMemoryBound(to: ClientStream.self)
        current = slot
        return slot
    }

    func append(_ event: ClientEvent) { events.append(event) }

    /// Keeps as much of a part of an answer's body as the limits allow.
    func appendBody(_ part: UnsafeRawBufferPointer, to slot: Slab<ClientStream>.Slot) {
        let before = slot.pointee.answerBody.count
        if !slot.pointee.answerBody.append(part, limit: min(maximumBodyBytes, before + bodyRoom)) {
            slot.pointee.isBodyCut = true
        }
        bodyRoom -= slot.pointee.answerBody.count - before
    }

    /// Records what nghttp2 says about a breach of the protocol. It may quote the peer: only printable ASCII is kept.
    func recordViolation(_ text: UnsafeRawBufferPointer) {
        let kept = text.prefix(Self.maximumViolationBytes).map { (0x20..<0x7F).contains($0) ? $0 : UInt8(ascii: "?") }
        if !kept.isEmpty { violation = String(decoding: kept, as: UTF8.self) }
    }

    var hasEvents: Bool { !events.isEmpty }

    func appendGoAway(lastStream: Int32, code: UInt32, debugData: UnsafeRawBufferPointer) {
        hasReceivedGoAway = true
        let kept = UnsafeRawBufferPointer(rebasing: debugData.prefix(ClientState.maximumDebugDataBytes))
        events.append(
            .goAway(
                HTTP2GoAway(
                    lastStreamID: lastStream, errorCode: HTTP2ErrorCode(rawValue: code), debugData: append(kept))
            )
        )
    }

    /// Reports a field of an answer, each once a stream; a value that is too long is left out.
    func appendField(_ name: AnswerField.Name, value: UnsafeRawBufferPointer, of slot: Slab<ClientStream>.Slot) {
        guard slot.pointee.reportedFields & name.rawValue == 0, value.count <= Self.maximumFieldBytes else { return }
        slot.pointee.reportedFields |= name.rawValue
        events.append(.answerField(AnswerField(tag: slot.pointee.tag, name: name, value: append(value))))
    }

    /// Records the end of a stream and releases its slot.
    func finish(_ slot: Slab<ClientStream>.Slot, code: UInt32) {
        let status = slot.pointee.status
        bodyRoom += slot.pointee.answerBody.count
        events.append(
            .streamClosed(
                StreamEnd(
                    tag: slot.pointee.tag,
                    errorCode: HTTP2ErrorCode(rawValue: code),
                    status: status >= 200 ? status : 0,
                    isComplete: slot.pointee.isComplete,
                    isMalformed: code == HTTP2ErrorCode.protocolError.rawValue && !slot.pointee.isReset,
                    wasSent: slot.pointee.wasSent,
                    isBodyCut: slot.pointee.isBodyCut,
                    retryAfter: slot.pointee.retryAfter,
                    body: append(slot.pointee.answerBody.bytes)
                )
            )
        )
        current = nil
        slots.release(slot)
    }

    /// Takes over settings that the peer has announced: some may change the table that `packer` follows.
    func setTableSizes(_ entries: UnsafeBufferPointer<nghttp2_settings_entry>) {
        for entry in entries where UInt32(entry.settings_id) == NGHTTP2_SETTINGS_HEADER_TABLE_SIZE.rawValue {
            packer.setTableSize(entry.value)
        }
    }

    /// Returns the bytes to send instead of nghttp2's: the whole request, if they are the HEADERS of one.
    func packed(_ chunk: UnsafeRawBufferPointer) throws(HTTP2Error) -> UnsafeRawBufferPointer {
        guard let slot = sendingHeaders else { return chunk }
        sendingHeaders = nil
        // The stream needs its headers only once.
        guard let headers = slot.pointee.headers.take() else { throw .unknownStream }
        return try packer.pack(header: chunk, headers: headers, requestFields: slot.pointee.requestFields)
    }

    private func append(_ chunk: UnsafeRawBufferPointer) -> ByteRange {
        if chunk.isEmpty { return ByteRange(offset: 0, count: 0) }
        let range = ByteRange(offset: bytes.count, count: chunk.count)
        bytes.append(contentsOf: chunk)
        return range
    }

    /// Calls `handle` with each event and its bytes, in order, and removes them.
    func takeEvents(_ handle: (ClientEvent, UnsafeRawBufferPointer) -> Void) {
        bytes.withUnsafeBytes { bytes in
            events.forEach { event in
                let range =
                    switch event {
                    case .streamClosed(let end): end.body
                    case .answerField(let field): field.value
                    case .goAway(let notice): notice.debugData
                    case .settings, .settingsAcknowledged, .pingAcknowledged: ByteRange(offset: 0, count: 0)
                    }
                handle(event, UnsafeRawBufferPointer(rebasing: bytes[range.offset..<range.offset + range.count]))
            }
        }
        events.removeAll()
        bytes.removeAll()
    }
}
