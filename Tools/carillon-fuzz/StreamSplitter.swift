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
