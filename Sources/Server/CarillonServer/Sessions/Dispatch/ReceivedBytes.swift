import NIOCore

/// The bytes of one client that were read from its socket, until the session has decoded them.
struct ReceivedBytes {
    /// The capacity above which the memory is given back once every byte is decoded, in bytes.
    private static let maximumKeptCapacity = 65_536

    private var buffer = ByteBuffer()

    /// True if every byte is decoded.
    var isEmpty: Bool { buffer.readableBytes == 0 }

    mutating func append(_ bytes: ByteBuffer) {
        guard !isEmpty else {
            buffer = bytes
            return
        }
        var bytes = bytes
        buffer.writeBuffer(&bytes)
    }

    /// Passes the bytes that are not decoded to `body`, which returns the number of bytes to remove, and its result.
    mutating func decode<Result>(
        _ body: (UnsafeRawBufferPointer) throws -> (Int, Result)
    ) rethrows -> Result {
        try buffer.readWithUnsafeReadableBytes(body)
    }

    /// Passes the bytes that are not decoded to `body`, which removes none.
    func peek<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try buffer.withUnsafeReadableBytes(body)
    }

    /// Gives back the memory of the bytes that were decoded.
    mutating func releaseDecoded() {
        buffer.discardReadBytes()
        if isEmpty && buffer.capacity > Self.maximumKeptCapacity { buffer = ByteBuffer() }
    }

    mutating func removeAll() { buffer = ByteBuffer() }
}
