/// A bitmap of one chunk: the devices of 4,096 consecutive ones that belong to a set. It has one bit for each offset,
/// in 64 words that are stored inline.
package struct ChunkBits: Hashable, Sendable {
    /// The number of devices in a chunk.
    package static let width = 4_096
    package static let byteCount = 512

    // SIMD64 is the standard library's type that stores 64 words without the heap on every platform. Its operators are
    // not used: at 64 lanes they are not specialised and cost ten times as much as a plain loop over the words.
    @usableFromInline var storage = SIMD64<UInt64>()

    package init() {}

    /// Makes a bitmap from offsets; returns nil if they do not ascend strictly or one is 4,096 or more.
    @inlinable
    package init?(ascending offsets: some Sequence<UInt16>) {
        self.init()
        var minimum: UInt16 = 0
        for offset in offsets {
            guard offset >= minimum, offset < Self.width else { return nil }
            insert(offset)
            minimum = offset + 1
        }
    }

    /// Makes a bitmap from its bytes; returns nil unless there are 512. Offset n is bit n mod 8 of byte n / 8.
    package init?(bitmap: UnsafeRawBufferPointer) {
        guard bitmap.count == Self.byteCount else { return nil }
        self.init()
        withWords { words in
            for index in words.indices {
                words[index] = UInt64(littleEndian: bitmap.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
            }
        }
    }

    /// The 512 bytes of the bitmap, in the form that `init(bitmap:)` reads.
    package var bitmap: [UInt8] {
        readWords { words in
            [UInt8](unsafeUninitializedCapacity: Self.byteCount) { bytes, count in
                let room = UnsafeMutableRawBufferPointer(bytes)
                for index in words.indices {
                    room.storeBytes(of: words[index].littleEndian, toByteOffset: index * 8, as: UInt64.self)
                }
                count = Self.byteCount
            }
        }
    }

    /// The offsets, ascending.
    package var offsets: [UInt16] { Array(self) }

    package var count: Int {
        readWords { words in
            var count = 0
            for word in words { count &+= word.nonzeroBitCount }
            return count
        }
    }

    package var isEmpty: Bool {
        readWords { words in
            var union: UInt64 = 0
            for word in words { union |= word }
            return union == 0
        }
    }

    /// Returns true if `offset` is in the set; an offset of 4,096 or more never is.
    @inlinable
    package func contains(_ offset: UInt16) -> Bool {
        offset < Self.width && storage[Self.word(of: offset)] & Self.bit(of: offset) != 0
    }

    /// Inserts `offset`, which must be less than 4,096; returns false if it was in the set already.
    @inlinable
    @discardableResult
    package mutating func insert(_ offset: UInt16) -> Bool {
        precondition(offset < Self.width, "an offset is less than 4,096")
        let word = Self.word(of: offset)
        let bit = Self.bit(of: offset)
        let isNew = storage[word] & bit == 0
        storage[word] |= bit
        return isNew
    }

    /// Removes `offset`; returns false if it was not in the set.
    @inlinable
    @discardableResult
    package mutating func remove(_ offset: UInt16) -> Bool {
        guard contains(offset) else { return false }
        storage[Self.word(of: offset)] &= ~Self.bit(of: offset)
        return true
    }

    package mutating func formIntersection(_ other: borrowing ChunkBits) {
        combine(other) { $0 & $1 }
    }

    package mutating func formUnion(_ other: borrowing ChunkBits) {
        combine(other) { $0 | $1 }
    }

    package mutating func subtract(_ other: borrowing ChunkBits) {
        combine(other) { $0 & ~$1 }
    }

    @inline(__always)
    private mutating func combine(_ other: borrowing ChunkBits, _ operation: (UInt64, UInt64) -> UInt64) {
        other.readWords { others in
            withWords { words in
                for index in 0..<64 { words[index] = operation(words[index], others[index]) }
            }
        }
    }

    @inline(__always)
    private func readWords<Result>(_ body: (UnsafeBufferPointer<UInt64>) -> Result) -> Result {
        withUnsafeBytes(of: storage) { body($0.assumingMemoryBound(to: UInt64.self)) }
    }

    @inline(__always)
    private mutating func withWords(_ body: (UnsafeMutableBufferPointer<UInt64>) -> Void) {
        withUnsafeMutableBytes(of: &storage) { body($0.assumingMemoryBound(to: UInt64.self)) }
    }

    /// Calls `body` with each run of consecutive offsets, ascending.
    package func forEachRun(_ body: (Range<Int>) throws -> Void) rethrows {
        var end = 0
        while true {
            let start = nextOffset(isInSet: true, from: end)
            guard start < Self.width else { return }
            end = nextOffset(isInSet: false, from: start)
            try body(start..<end)
        }
    }

    /// Returns the first offset from `offset` on that is in the set, or that is not; 4,096 if the set has no such
    /// offset.
    private func nextOffset(isInSet: Bool, from offset: Int) -> Int {
        readWords { words in
            var index = offset >> 6
            guard index < 64 else { return Self.width }
            let inverse: UInt64 = isInSet ? 0 : .max
            var word = (words[index] ^ inverse) & UInt64.max << UInt64(offset & 63)
            while word == 0 {
                index += 1
                guard index < 64 else { return Self.width }
                word = words[index] ^ inverse
            }
            return index * 64 + word.trailingZeroBitCount
        }
    }

    @usableFromInline static func word(of offset: UInt16) -> Int { Int(offset >> 6) }

    @usableFromInline static func bit(of offset: UInt16) -> UInt64 { 1 << UInt64(offset & 63) }
}

extension ChunkBits: Sequence {
    /// An iterator over the offsets, ascending.
    package struct Iterator: IteratorProtocol {
        private let bits: ChunkBits
        private var index = 0
        private var word: UInt64

        init(_ bits: ChunkBits) {
            self.bits = bits
            word = bits.storage[0]
        }

        package mutating func next() -> UInt16? {
            while word == 0 {
                index += 1
                guard index < 64 else {
                    index = 63
                    return nil
                }
                word = bits.storage[index]
            }
            defer { word &= word &- 1 }
            return UInt16(truncatingIfNeeded: index * 64 + word.trailingZeroBitCount)
        }
    }

    package func makeIterator() -> Iterator { Iterator(self) }
}
