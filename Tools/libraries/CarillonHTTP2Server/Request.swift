import CarillonHTTP2

/// A request as it was received. Its bytes are in the session's own memory, and are not copied into Strings.
package struct Request {
    /// The stream to answer on.
    package let stream: Int32
    let slot: UnsafeMutablePointer<ServerStream>

    /// The number of header fields, pseudo-headers included. Fields after the body do not count.
    package var headerCount: Int { slot.pointee.fields.count }

    /// Calls `body` with each field's name, in lower case, and value, in the order in which they were received.
    package func forEachHeader(_ body: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void) {
        guard let text = slot.pointee.fields.texts.baseAddress else { return }
        for index in 0..<slot.pointee.fields.count {
            let entry = slot.pointee.fields.entries[index]
            let name = text + Int(entry.start)
            body(
                UnsafeRawBufferPointer(start: name, count: Int(entry.nameLength)),
                UnsafeRawBufferPointer(start: name + Int(entry.nameLength), count: Int(entry.valueLength))
            )
        }
    }

    /// The body, cut at the session's limit.
    package var body: UnsafeRawBufferPointer { slot.pointee.body.bytes }

    /// The length of the whole body in bytes, the part that was cut included.
    package var bodyLength: Int { slot.pointee.bodyLength }
}
