/// What a server session keeps for one stream; the memory is kept for the streams after it.
struct ServerStream: SlabRecord {
    /// Where a header field lies in `headers`: the name, and right after it the value.
    struct Entry {
        var start: UInt32
        var nameLength: UInt16
        var valueLength: UInt16
    }

    var streamID: Int32 = 0
    var isOpen = false
    var headerCount = 0
    var headers = ByteStore()
    let entries = UnsafeMutablePointer<Entry>.allocate(capacity: maxHeaders)
    var body = ByteStore()
    var bodyLength = 0
    var answer: PreparedAnswer?
    var answerBody: PreparedBody?
    var answerSent = 0
    /// How much of the answer's body goes into one DATA frame at most.
    var answerFrameBytes = Int.max
    /// Room for the id in the answer.
    let text = UnsafeMutablePointer<UInt8>.allocate(capacity: textCapacity)
    var nextFree: UnsafeMutablePointer<ServerStream>?

    static let maxHeaders = 64
    static let textCapacity = 64

    /// Keeps a header field; false if it does not fit.
    mutating func appendHeader(
        name: UnsafeRawBufferPointer,
        value: UnsafeRawBufferPointer,
        limit: Int
    ) -> Bool {
        let start = headers.count
        guard headerCount < ServerStream.maxHeaders, start + name.count + value.count <= limit else { return false }
        entries[headerCount] = Entry(
            start: UInt32(start),
            nameLength: UInt16(name.count),
            valueLength: UInt16(value.count)
        )
        headerCount += 1
        return headers.append(name, value, limit: limit)
    }

    mutating func reset() {
        headerCount = 0
        headers.removeAll()
        body.removeAll()
        bodyLength = 0
        answer = nil
        answerBody = nil
        answerSent = 0
    }

    mutating func free() {
        headers.free()
        body.free()
        entries.deallocate()
        text.deallocate()
    }
}

/// The notes that nghttp2's callbacks take for a server session.
final class ServerState {
    typealias Slot = Slab<ServerStream>.Slot

    let slots = Slab<ServerStream>()
    let maxHeaderBytes: Int
    let maxBodyBytes: Int
    /// The newest stream of the client.
    var lastStream: Int32 = 0
    /// How many streams are open; `slots` also holds those whose events wait to be drained.
    var openStreams = 0
    var streamLimitExceeded = false
    /// PINGs of the client that wait for their answer: those of the bytes that are being received.
    var pings: [UInt64] = []
    /// The stream that bytes came for last, so that its fields need not be looked up one by one.
    private var current: Slot?
    private let events = Notes<ServerEvent>()
    /// Closed streams whose memory events may still refer to.
    private let closed = Notes<Slot>()

    init(settings: ServerSettings) {
        maxHeaderBytes = Int(min(settings.maxHeaderListSize, 65_535))
        maxBodyBytes = max(0, settings.maxBodyBytes)
    }

    func append(_ event: ServerEvent) { events.append(event) }

    /// Takes a slot for a stream that begins.
    func begin(_ stream: Int32) -> Slot {
        let slot = slots.acquire()
        slot.pointee.streamID = stream
        lastStream = max(lastStream, stream)
        openStreams += 1
        current = slot
        return slot
    }

    /// The slot of an open stream.
    func slot(_ stream: Int32, in session: OpaquePointer?) -> Slot? {
        if let current, current.pointee.streamID == stream { return current }
        let slot = ServerCallbacks.slot(session, stream)
        current = slot
        return slot
    }

    func finish(_ slot: Slot, code: UInt32) {
        current = nil
        openStreams -= 1
        events.append(.streamClosed(stream: slot.pointee.streamID, errorCode: ErrorCode(rawValue: code)))
        closed.append(slot)
    }

    func drain(_ handle: (ServerEvent) -> Void) {
        events.forEach(handle)
        events.removeAll()
        closed.forEach { slots.release($0) }
        closed.removeAll()
    }
}
