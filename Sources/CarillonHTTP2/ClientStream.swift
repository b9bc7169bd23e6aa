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
    /// True if a field of the answer was reported.
    var hasField = false
    var retryAfter: RetryAfter?
    var headers: PreparedHeaders?
    var body: PreparedBody?
    var bodySent = 0
    /// The answer's body so far.
    var answer = ByteStore()
    /// The path and the id of the request, encoded by `RequestFields`.
    private(set) var text = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private(set) var textSize = 0
    var nextFree: UnsafeMutablePointer<ClientStream>?

    /// The memory for an answer's body that is kept for the next one, in bytes: Apple's bodies are short.
    static let keptAnswerBytes = 1_024
    /// The limit of path and id together, in bytes.
    static let textCapacity = 640

    /// Stores the path and the id, together at most `textCapacity` bytes. The memory is kept for the next request, but
    /// no more of it than requests have needed: a connection has a thousand streams.
    mutating func write(path: UnsafeRawBufferPointer, apnsID: UnsafeRawBufferPointer?) {
        let size = path.count + (apnsID?.count ?? 0) + RequestFields.overhead
        if size > text.count {
            text.deallocate()
            text = .allocate(byteCount: (size + 63) & ~63, alignment: 1)
        }
        textSize = RequestFields.write(path: path, apnsID: apnsID, into: text)
    }

    mutating func reset() {
        status = 0
        wasSent = false
        isComplete = false
        isBodyCut = false
        isReset = false
        hasField = false
        retryAfter = nil
        headers = nil
        body = nil
        bodySent = 0
        answer.removeAll(keepingAtMost: Self.keptAnswerBytes)
    }

    mutating func free() {
        answer.free()
        text.deallocate()
    }
}
