/// Compares bytes fast.
extension UnsafeRawBufferPointer {
    /// Returns true if both buffers have the same bytes, compared by words: the standard library compares byte by byte.
    @inlinable
    package func isEqual(to other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        var offset = 0
        // Safety: every load ends within the count, which both have.
        while offset + 8 <= count {
            guard
                loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                    == other.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            else { return false }
            offset += 8
        }
        while offset < count {
            guard self[offset] == other[offset] else { return false }
            offset += 1
        }
        return true
    }
}
