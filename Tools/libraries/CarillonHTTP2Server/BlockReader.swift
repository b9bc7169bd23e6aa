/// A string in a block, coded or not (RFC 7541, section 5.2).
struct CodedString {
    var bytes: UnsafeRawBufferPointer
    var isCoded: Bool
}

/// A reader of the parts of one block. Each function returns nil if the block is malformed.
struct BlockReader {
    private let block: UnsafeRawBufferPointer
    private(set) var position = 0

    init(_ block: UnsafeRawBufferPointer) { self.block = block }

    var first: UInt8? { position < block.count ? block[position] : nil }

    /// True if a new size of the table is next (section 6.3).
    var isAtTableSize: Bool { position < block.count && block[position] & 0xE0 == 0x20 }

    /// Reads an integer (section 5.1) of at most 28 bits beyond its first byte.
    @inline(__always)
    mutating func readInteger(mask: UInt8) -> Int? {
        guard position < block.count else { return nil }
        let value = block[position] & mask
        position += 1
        return value < mask ? Int(value) : readLong(Int(mask))
    }

    private mutating func readLong(_ start: Int) -> Int? {
        var value = start
        for shift in stride(from: 0, to: 28, by: 7) {
            guard position < block.count else { return nil }
            let byte = block[position]
            position += 1
            value += Int(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return value }
        }
        return nil
    }

    mutating func readString() -> CodedString? {
        let start = position
        guard let count = readInteger(mask: 0x7F), count <= block.count - position else { return nil }
        position += count
        return CodedString(
            bytes: UnsafeRawBufferPointer(rebasing: block[position - count..<position]),
            isCoded: block[start] & 0x80 != 0)
    }
}
