/// What a client session keeps for one open stream, at an address that does not move while the stream is open.
struct ClientStream: SlabRecord {
    var tag: UInt64 = 0
    var streamID: Int32 = 0
    var status: UInt16 = 0
    var isOpen = false
    var wasSent = false
    var isComplete = false
    var isBodyCut = false
    var retryAfter: UInt32?
    var headers: PreparedHeaders?
    var body: PreparedBody?
    var bodySent = 0
    /// The answer's body so far.
    var answer = ByteStore()
    /// The path and the id of the request, as `RequestText` writes them.
    let text = UnsafeMutableRawBufferPointer.allocate(byteCount: textCapacity + RequestText.overhead, alignment: 1)
    var textSize = 0
    var nextFree: UnsafeMutablePointer<ClientStream>?

    /// How many bytes of path and id fit.
    static let textCapacity = 640

    mutating func reset() {
        status = 0
        wasSent = false
        isComplete = false
        isBodyCut = false
        retryAfter = nil
        headers = nil
        body = nil
        bodySent = 0
        answer.removeAll()
    }

    mutating func free() {
        answer.free()
        text.deallocate()
    }
}
