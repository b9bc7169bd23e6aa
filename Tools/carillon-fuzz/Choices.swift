/// The input: first the decisions of the fuzzer, then the bytes of the peer.
struct Choices {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// True if nothing is left.
    var isEmpty: Bool { offset == bytes.count }

    /// The next byte; 0 behind the end.
    mutating func byte() -> UInt8 {
        guard offset < bytes.count else { return 0 }
        defer { offset += 1 }
        return bytes[offset]
    }

    /// The next four bytes as a number.
    mutating func number() -> UInt32 {
        (0..<4).reduce(0) { number, _ in number << 8 | UInt32(byte()) }
    }

    /// The next `count` bytes, or fewer at the end.
    mutating func take(_ count: Int) -> [UInt8] {
        let end = min(bytes.count, offset + count)
        defer { offset = end }
        return Array(bytes[offset..<end])
    }

    /// All that is left.
    mutating func rest() -> [UInt8] {
        take(bytes.count)
    }
}

/// Pseudo-random numbers from one byte of the input: how a stream is cut into pieces, and what happens between them.
struct StreamSplitter {
    private var state: UInt32

    /// Seed 0 cuts nothing.
    let isWhole: Bool

    init(seed: UInt8) {
        state = UInt32(seed) &* 2_654_435_761 | 1
        isWhole = seed == 0
    }

    /// A number below `bound`.
    mutating func next(below bound: Int) -> Int {
        state ^= state << 13
        state ^= state >> 17
        state ^= state << 5
        return Int(state % UInt32(bound))
    }

    /// The number of `left` bytes that come in one piece.
    mutating func piece(of left: Int) -> Int {
        if isWhole { return left }
        return min(left, 1 + next(below: next(below: 4) == 0 ? 2_000 : 24))
    }
}
