import CCarillonNghttp2

/// The state of one open stream of a client session, at an address that does not move while the stream is open.
struct ClientStream: SlabRecord {
    var tag: UInt64 = 0
    var streamID: Int32 = 0
    var status: UInt16 = 0
    var isOpen = false
    var wasSent = false
    var isComplete = false
    var isBodyCut = false
    /// True if the peer has reset the stream.
    var isReset = false
    /// The fields of the answer that were reported: the bits are the raw values of `AnswerField.Name`.
    var reportedFields: UInt8 = 0
    var retryAfter: RetryAfter?
    var headers: PreparedHeaders?
    var body: PreparedBody?
    var bodySent = 0
    /// The answer's body so far.
    var answer = ByteStore()
    /// The path and the id of the request, encoded by `RequestFields`, and then the end of its body.
    private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var textSize = 0
    private var bodyEndSize = 0
    var nextFree: UnsafeMutablePointer<ClientStream>?

    /// The memory for an answer's body that is kept for the next one, in bytes: Apple's bodies are short.
    static let keptAnswerBytes = 1_024
    /// The limit of path and id together, in bytes: a path of 1,024, as an endpoint of Web Push may have, and an id.
    static let textCapacity = 1_024 + 64
    /// The limit of the end of a body, in bytes.
    static let bodyEndCapacity = 8_192

    /// Stores the path and the id, together at most `textCapacity` bytes, and the end of the body, at most
    /// `bodyEndCapacity` bytes. The memory is kept for the next request, but only as much as requests have needed: a
    /// connection has a thousand streams.
    mutating func write(
        path: UnsafeRawBufferPointer, requestID: UnsafeRawBufferPointer?, bodyEnd: UnsafeRawBufferPointer
    ) {
        let size = path.count + (requestID?.count ?? 0) + RequestFields.overhead + bodyEnd.count
        if size > memory.count {
            memory.deallocate()
            memory = .allocate(byteCount: (size + 63) & ~63, alignment: 1)
        }
        textSize = RequestFields.write(path: path, requestID: requestID, into: memory)
        bodyEndSize = bodyEnd.count
        if !bodyEnd.isEmpty { UnsafeMutableRawBufferPointer(rebasing: memory[textSize...]).copyMemory(from: bodyEnd) }
    }

    /// The path and the id of the request, encoded by `RequestFields`.
    var text: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<textSize]) }

    /// The part of the request's body that is this stream's own: it comes after `body`.
    var bodyEnd: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: memory[textSize..<textSize + bodyEndSize])
    }

    /// The size of the request's body in bytes.
    var bodySize: Int { (body?.bytes.count ?? 0) + bodyEndSize }

    /// Copies the next part of the request's body into nghttp2's frame, and says if it was the last.
    mutating func copyBody(
        into target: UnsafeMutablePointer<UInt8>, capacity: Int, flags: UnsafeMutablePointer<UInt32>
    ) -> Int {
        guard bodyEndSize > 0 else {
            guard let body else { return 0 }
            return CarillonHTTP2.copyBody(body, sent: &bodySent, into: target, capacity: capacity, flags: flags)
        }
        let start = bodySent
        let shared = body?.bytes.count ?? 0
        let room = UnsafeMutableRawBufferPointer(start: target, count: capacity)
        if bodySent < shared, let bytes = body?.bytes {
            let part = UnsafeRawBufferPointer(rebasing: bytes[bodySent...].prefix(capacity))
            room.copyMemory(from: part)
            bodySent += part.count
        }
        if bodySent >= shared {
            let part = UnsafeRawBufferPointer(
                rebasing: bodyEnd[(bodySent - shared)...].prefix(capacity - (bodySent - start)))
            UnsafeMutableRawBufferPointer(rebasing: room[(bodySent - start)...]).copyMemory(from: part)
            bodySent += part.count
        }
        if bodySent == bodySize { flags.pointee |= UInt32(NGHTTP2_DATA_FLAG_EOF.rawValue) }
        return bodySent - start
    }

    mutating func reset() {
        status = 0
        wasSent = false
        isComplete = false
        isBodyCut = false
        isReset = false
        reportedFields = 0
        retryAfter = nil
        headers = nil
        body = nil
        bodySent = 0
        answer.removeAll(keepingAtMost: Self.keptAnswerBytes)
    }

    mutating func free() {
        answer.free()
        memory.deallocate()
    }
}
