import CarillonHTTP2

/// The state of one stream of a server session. Its memory is kept for later streams.
struct ServerStream: SlabElement {
    var streamID: Int32 = 0
    var isOpen = false
    var fields = FieldList()
    var body = ByteStore()
    var bodyLength = 0
    /// True if the request broke a rule. It then causes no event.
    var isRefused = false
    var isAnswered = false
    /// The header block of the answer.
    var answer = ByteStore()
    var answerBody: PreparedBody?
    var answerSent = 0
    /// The limit of body bytes in one DATA frame of the answer.
    var answerFrameBytes = Int.max
    var nextFree: UnsafeMutablePointer<ServerStream>?

    /// The longest id in an answer, in bytes.
    static let maximumIDBytes = 64

    /// Stores the header block of the answer.
    mutating func setAnswer(_ prepared: PreparedResponse, requestID: UnsafeRawBufferPointer?) {
        isAnswered = true
        let size = prepared.block.count + (requestID.map { $0.count + LiteralField.maximumRequestIDOverheadBytes } ?? 0)
        answer.write(size) { room in
            prepared.block.withUnsafeBytes { room.copyMemory(from: $0) }
            guard let requestID else { return prepared.block.count }
            let end = UnsafeMutableRawBufferPointer(rebasing: room[prepared.block.count...])
            return prepared.block.count + LiteralField.write(LiteralField.requestIDName, value: requestID, into: end)
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
