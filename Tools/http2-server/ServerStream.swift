internal import CCarillonNghttp2

/// What a server session keeps for one stream; the memory is kept for the streams after it.
struct ServerStream: SlabRecord {
    var streamID: Int32 = 0
    var isOpen = false
    var fields = FieldList()
    var body = ByteStore()
    var bodyLength = 0
    /// Whether the request broke a rule, and is not shown to anyone.
    var isRefused = false
    var isAnswered = false
    /// The header block of the answer.
    var answer = ByteStore()
    var answerBody: PreparedBody?
    var answerSent = 0
    /// How much of the answer's body goes into one DATA frame at most.
    var answerFrameBytes = Int.max
    var nextFree: UnsafeMutablePointer<ServerStream>?

    /// The longest id in an answer, in bytes.
    static let maxID = 64

    /// Keeps the header block of the answer.
    mutating func setAnswer(_ prepared: PreparedAnswer, apnsID: UnsafeRawBufferPointer?) {
        isAnswered = true
        let size = prepared.block.count + (apnsID.map { $0.count + Literal.idOverhead } ?? 0)
        answer.write(size) { room in
            prepared.block.withUnsafeBytes { room.copyMemory(from: $0) }
            guard let apnsID else { return prepared.block.count }
            let rest = UnsafeMutableRawBufferPointer(rebasing: room[prepared.block.count...])
            return prepared.block.count + Literal.write(Literal.idName, apnsID, into: rest)
        }
    }

    mutating func reset() {
        fields.removeAll()
        body.removeAll()
        bodyLength = 0
        isRefused = false
        isAnswered = false
        answer.removeAll()
        answerBody = nil
        answerSent = 0
    }

    mutating func free() {
        fields.free()
        body.free()
        answer.free()
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
    /// The fields of the block whose frame nghttp2 is being given; in memory of its own, as `Notes` are.
    let freshFields = UnsafeMutablePointer<FieldList>.allocate(capacity: 1)
    var hasFreshFields = false
    /// Streams to reset for what the bytes being received say.
    private(set) var refused: [(stream: Int32, code: ErrorCode)] = []
    /// The stream whose HEADERS leave next, noted by the callback before it.
    var leaving: Slot?
    /// The stream that bytes came for last, so that its fields need not be looked up one by one.
    private var current: Slot?
    private let events = Notes<ServerEvent>()
    /// Closed streams whose memory events may still refer to.
    private let closed = Notes<Slot>()
    private let packer = AnswerPacker()

    init(settings: ServerSettings) {
        maxHeaderBytes = Int(min(settings.maxHeaderListSize, 65_535))
        maxBodyBytes = max(0, settings.maxBodyBytes)
        freshFields.initialize(to: FieldList())
    }

    deinit {
        freshFields.pointee.free()
        freshFields.deallocate()
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

    /// Takes the fields of the block that nghttp2 has just been given for a stream: its first, or its last.
    func takeFields(_ slot: Slot, areFirst: Bool, areLast: Bool) {
        guard hasFreshFields else { return refuse(slot, .protocolError) }
        if areFirst {
            swap(&slot.pointee.fields, &freshFields.pointee)
            if slot.pointee.fields.isTooLong {
                refuse(slot, .internalError)
            } else if !slot.pointee.fields.rules.isRequest {
                refuse(slot, .protocolError)
            }
        } else if !areLast || !freshFields.pointee.rules.isTrailer {
            // Fields after the body are nothing that APNs knows of: they are checked and forgotten.
            refuse(slot, .protocolError)
        }
    }

    /// A request is whole.
    func complete(_ slot: Slot) {
        if slot.pointee.isRefused { return }
        if let length = slot.pointee.fields.rules.contentLength, length != slot.pointee.bodyLength {
            return refuse(slot, .protocolError)
        }
        events.append(.request(Request(stream: slot.pointee.streamID, slot: slot)))
    }

    private func refuse(_ slot: Slot, _ code: ErrorCode) {
        if slot.pointee.isRefused { return }
        slot.pointee.isRefused = true
        refused.append((slot.pointee.streamID, code))
    }

    func takeRefused() -> [(stream: Int32, code: ErrorCode)] {
        defer { refused = [] }
        return refused
    }

    func finish(_ slot: Slot, code: UInt32) {
        current = nil
        openStreams -= 1
        events.append(.streamClosed(stream: slot.pointee.streamID, errorCode: ErrorCode(rawValue: code)))
        closed.append(slot)
    }

    /// What leaves in place of a chunk that nghttp2 gave out; valid until the next one.
    func packed(_ chunk: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard let slot = leaving else { return chunk }
        leaving = nil
        return packer.pack(chunk, block: slot.pointee.answer.bytes)
    }

    func drain(_ handle: (ServerEvent) -> Void) {
        events.forEach(handle)
        events.removeAll()
        closed.forEach { slots.release($0) }
        closed.removeAll()
    }
}
