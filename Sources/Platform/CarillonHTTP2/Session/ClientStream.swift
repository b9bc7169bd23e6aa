import CCarillonNghttp2

/// The state of one open stream of a client session, at an address that does not move while the stream is open.
struct ClientStream: SlabElement {
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
    var sentBodyBytes = 0
    /// The answer's body so far.
    var answerBody = ByteStore()
    /// The path and the id of the request, encoded by `RequestFields`, and then the end of its body.
    private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var requestFieldBytes = 0
    private var bodyEndBytes = 0
    var nextFree: UnsafeMutablePointer<ClientStream>?

    /// The memory for an answer's body that is kept for the next one, in bytes: Apple's bodies are short.
    static let keptAnswerBodyBytes = 1_024
    /// The limit of path and id together, in bytes: a path of 1,024, as an endpoint of Web Push may have, and an id.
    static let maximumRequestFieldBytes = 1_024 + 64
    /// The limit of the end of a body, in bytes.
    static let maximumBodyEndBytes = 8_192

    /// Stores the path and the id, together at most `maximumRequestFieldBytes`, and the end of the body, at most
    /// `maximumBodyEndBytes`. The memory is kept for the next request, but only as much as requests have needed: a
    /// connection has a thousand streams.
    mutating func write(
        path: UnsafeRawBufferPointer, requestID: UnsafeRawBufferPointer?, bodyEnd: UnsafeRawBufferPointer
    ) {
        let size = path.count + (requestID?.count ?? 0) + RequestFields.maximumOverheadBytes + bodyEnd.count
        if size > memory.count {
            memory.deallocate()
            memory = .allocate(byteCount: (size + 63) & ~63, alignment: 1)
        }
        requestFieldBytes = RequestFields.write(path: path, requestID: requestID, into: memory)
        bodyEndBytes = bodyEnd.count
        if !bodyEnd.isEmpty {
            UnsafeMutableRawBufferPointer(rebasing: memory[requestFieldBytes...]).copyMemory(from: bodyEnd)
        }
    }

    /// The path and the id of the request, encoded by `RequestFields`.
    var requestFields: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<requestFieldBytes]) }

    /// The part of the request's body that is this stream's own: it comes after `body`.
    var bodyEnd: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: memory[requestFieldBytes..<requestFieldBytes + bodyEndBytes])
    }

    var bodyBytes: Int { (body?.bytes.count ?? 0) + bodyEndBytes }

    /// Copies the next part of the request's body into nghttp2's frame, and says if it was the last.
    mutating func copyBody(
        into target: UnsafeMutablePointer<UInt8>, capacity: Int, flags: UnsafeMutablePointer<UInt32>
    ) -> Int {
        guard bodyEndBytes > 0 else {
            guard let body else { return 0 }
            return CarillonHTTP2.copyBody(body, sent: &sentBodyBytes, into: target, capacity: capacity, flags: flags)
        }
        let start = sentBodyBytes
        let shared = body?.bytes.count ?? 0
        let room = UnsafeMutableRawBufferPointer(start: target, count: capacity)
        if sentBodyBytes < shared, let bytes = body?.bytes {
            let part = UnsafeRawBufferPointer(rebasing: bytes[sentBodyBytes...].prefix(capacity))
            room.copyMemory(from: part)
            sentBodyBytes += part.count
        }
        if sentBodyBytes >= shared {
            let part = UnsafeRawBufferPointer(
                rebasing: bodyEnd[(sentBodyBytes - shared)...].prefix(capacity - (sentBodyBytes - start)))
            UnsafeMutableRawBufferPointer(rebasing: room[(sentBodyBytes - start)...]).copyMemory(from: part)
            sentBodyBytes += part.count
        }
        if sentBodyBytes == bodyBytes { flags.pointee |= UInt32(NGHTTP2_DATA_FLAG_EOF.rawValue) }
        return sentBodyBytes - start
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
        sentBodyBytes = 0
        answerBody.removeAll(keepingAtMost: Self.keptAnswerBodyBytes)
    }

    mutating func free() {
        answerBody.free()
        memory.deallocate()
    }
}
