/// The fields of a request that differ from all others: `:path`, and the id of the request if there is one.
enum RequestFields {
    /// The largest number of bytes that names and lengths add to path and id.
    static let maximumOverheadBytes = 20

    /// Writes the path and the id into `room`, which has `maximumOverheadBytes` more than they need. Returns the number
    /// of bytes written.
    static func write(
        path: UnsafeRawBufferPointer, requestID: UnsafeRawBufferPointer?, into room: UnsafeMutableRawBufferPointer
    ) -> Int {
        var count = LiteralField.write(LiteralField.pathName, value: path, into: room)
        if let requestID {
            count += LiteralField.write(
                LiteralField.requestIDName, value: requestID,
                into: UnsafeMutableRawBufferPointer(rebasing: room[count...]))
        }
        return count
    }
}
