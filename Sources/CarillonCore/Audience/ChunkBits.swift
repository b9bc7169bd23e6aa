/// Placeholder until the real one is merged.
package struct ChunkBits: Hashable, Sendable {
    package var words = [UInt64](repeating: 0, count: 64)
    package init() {}
    package mutating func insert(_ offset: Int) { words[offset >> 6] |= 1 << UInt64(offset & 63) }
    package func contains(_ offset: Int) -> Bool { words[offset >> 6] & 1 << UInt64(offset & 63) != 0 }
}
