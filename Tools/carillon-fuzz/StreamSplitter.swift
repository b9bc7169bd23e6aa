/// A generator of pseudo-random numbers from one byte of the input. The numbers decide how a stream is cut into parts,
/// and what happens between the parts.
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

    /// Returns the number of bytes, of the `left` ones, that come in one part.
    mutating func piece(of left: Int) -> Int {
        if isWhole { return left }
        return min(left, 1 + next(below: next(below: 4) == 0 ? 2_000 : 24))
    }
}
