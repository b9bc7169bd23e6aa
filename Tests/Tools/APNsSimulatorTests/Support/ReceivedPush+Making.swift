@testable import apns_simulator

extension ReceivedPush {
    /// Calls `body` with a request that has these fields.
    static func with<R>(
        fields: [(String, String)], payload: String, _ body: (ReceivedPush) throws -> R
    ) rethrows -> R {
        // The request's views need memory that does not move until the response.
        var memory: [UnsafeMutableRawBufferPointer] = []
        defer { for buffer in memory { buffer.deallocate() } }
        func view(_ text: String) -> UnsafeRawBufferPointer {
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: text.utf8.count, alignment: 1)
            buffer.copyBytes(from: text.utf8)
            memory.append(buffer)
            return UnsafeRawBufferPointer(buffer)
        }
        var request = ReceivedPush()
        for (name, value) in fields { request.add(view(name), value: view(value)) }
        request.payload = view(payload)
        request.payloadLength = payload.utf8.count
        return try body(request)
    }
}
