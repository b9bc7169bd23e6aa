/// The bytes of an input: first the choices of the fuzzer, then the bytes that the target reads.
struct FuzzInput {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var isEmpty: Bool { offset == bytes.count }

    /// Removes and returns the next byte; 0 after the end.
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

/// A generator of pseudo-random numbers from one byte of the input. The numbers decide how a stream is cut into pieces,
/// and what happens between the pieces.
struct StreamSplitter {
    private var state: UInt32

    /// True if the stream is not cut, as with seed 0.
    let isWhole: Bool

    init(seed: UInt8) {
        state = UInt32(seed) &* 2_654_435_761 | 1
        isWhole = seed == 0
    }

    mutating func next(below bound: Int) -> Int {
        state ^= state << 13
        state ^= state >> 17
        state ^= state << 5
        return Int(state % UInt32(bound))
    }

    /// Returns the number of bytes, of the `left` ones, that come in one piece.
    mutating func piece(of left: Int) -> Int {
        if isWhole { return left }
        return min(left, 1 + next(below: next(below: 4) == 0 ? 2_000 : 24))
    }
}
