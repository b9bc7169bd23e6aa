import CarillonHTTP2

/// The state of a server session that nghttp2's callbacks change.
final class ServerState {
    typealias Slot = Slab<ServerStream>.Slot

    let slots = Slab<ServerStream>()
    let maximumHeaderBytes: Int
    let maximumBodyBytes: Int
    /// The newest stream of the client.
    var lastStream: Int32 = 0
    /// The number of open streams. `slots` also contains those whose events were not taken yet.
    var openStreams = 0
    var hasTooManyStreams = false
    /// The client's PINGs in the bytes being received, as far as they are not answered yet.
    var pings: [UInt64] = []
    /// The fields of the block whose frame nghttp2 is given now. They are in memory of their own, like a
    /// `CallbackList`.
    let newFields = UnsafeMutablePointer<FieldList>.allocate(capacity: 1)
    var hasNewFields = false
    /// The streams to reset because of the bytes that are being received.
    private(set) var refused: [(stream: Int32, code: HTTP2ErrorCode)] = []
    /// The stream whose HEADERS are sent next, which the callback before sets; nil if no HEADERS are to be sent.
    var sendingHeaders: Slot?
    /// The stream of the last callback. The next one is nearly always about the same stream.
    private var current: Slot?
    private let events = CallbackList<ServerEvent>()
    /// The closed streams to whose memory events may still refer.
    private let closed = CallbackList<Slot>()
    private let packer = ResponsePacker()

    init(settings: HTTP2ServerSettings) {
        maximumHeaderBytes = Int(min(settings.maxHeaderListSize, 65_535))
        maximumBodyBytes = max(0, settings.maximumBodyBytes)
        newFields.initialize(to: FieldList())
    }

    deinit {
        newFields.pointee.free()
        newFields.deallocate()
    }

    func append(_ event: ServerEvent) { events.append(event) }

    /// Acquires a slot for a new stream.
    func begin(_ stream: Int32) -> Slot {
        let slot = slots.acquire()
        slot.pointee.streamID = stream
        lastStream = max(lastStream, stream)
        openStreams += 1
        current = slot
        return slot
    }

    /// Returns the slot of an open stream; nil if it is not open.
    func slot(_ stream: Int32, in session: OpaquePointer?) -> Slot? {
        if let current, current.pointee.streamID == stream { return current }
        let slot = ServerCallbacks.slot(session, of: stream)
        current = slot
        return slot
    }

    /// Assigns the fields of the block that nghttp2 was just given to its stream: the first block, or the one after the
    /// body.
    func assignFields(_ slot: Slot, areFirst: Bool, areLast: Bool) {
        guard hasNewFields else { return refuse(slot, with: .protocolError) }
        if areFirst {
            swap(&slot.pointee.fields, &newFields.pointee)
            if slot.pointee.fields.isTooLong {
                refuse(slot, with: .internalError)
            } else if !slot.pointee.fields.rules.isRequest {
                refuse(slot, with: .protocolError)
            }
        } else if !areLast || !newFields.pointee.rules.isTrailer {
            // APNs knows no fields after the body: they are checked and dropped.
            refuse(slot, with: .protocolError)
        }
    }

    /// Adds the event of a request that is complete, unless the request was refused.
    func complete(_ slot: Slot) {
        if slot.pointee.isRefused { return }
        if let length = slot.pointee.fields.rules.contentLength, length != slot.pointee.bodyLength {
            return refuse(slot, with: .protocolError)
        }
        events.append(.request(Request(stream: slot.pointee.streamID, slot: slot)))
    }

    private func refuse(_ slot: Slot, with code: HTTP2ErrorCode) {
        if slot.pointee.isRefused { return }
        slot.pointee.isRefused = true
        refused.append((slot.pointee.streamID, code))
    }

    /// Removes and returns the streams to reset.
    func removeRefused() -> [(stream: Int32, code: HTTP2ErrorCode)] {
        defer { refused = [] }
        return refused
    }

    func finish(_ slot: Slot, code: UInt32) {
        current = nil
        openStreams -= 1
        events.append(.streamClosed(stream: slot.pointee.streamID, errorCode: HTTP2ErrorCode(rawValue: code)))
        closed.append(slot)
    }

    /// Returns the bytes to send instead of a chunk of nghttp2, which are valid until the next call.
    func packed(_ chunk: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard let slot = sendingHeaders else { return chunk }
        sendingHeaders = nil
        return packer.pack(chunk, block: slot.pointee.answer.bytes)
    }

    func takeEvents(_ handle: (ServerEvent) -> Void) {
        events.forEach(handle)
        events.removeAll()
        closed.forEach { slots.release($0) }
        closed.removeAll()
    }
}
