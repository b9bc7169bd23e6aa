/// The bytes of an input: first the decisions of the fuzzer, then the bytes of the peer.
struct Choices {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isEmpty: Bool { offset == bytes.count }

    /// Removes and returns the next byte; 0 behind the end.
    mutating func byte() -> UInt8 {
        guard offset < bytes.count else { return 0 }
        defer { offset += 1 }
        return bytes[offset]
    }

    /// Removes and returns the next four bytes as a number.
    mutating func number() -> UInt32 {
        (0..<4).reduce(0) { number, _ in number << 8 | UInt32(byte()) }
    }

    /// Removes and returns the next `count` bytes, or fewer at the end.
    mutating func take(_ count: Int) -> [UInt8] {
        let end = min(bytes.count, offset + count)
        defer { offset = end }
        return Array(bytes[offset..<end])
    }

    /// Removes and returns all bytes that are left.
    mutating func rest() -> [UInt8] {
        take(bytes.count)
    }
}
