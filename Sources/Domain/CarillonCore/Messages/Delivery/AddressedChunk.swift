/// The recipients in one chunk of an audience. A page, its copies and its outcome records share one object.
package final class AddressedChunk: Hashable, Sendable {
    /// The offsets of the recipients in the chunk.
    package let bits: ChunkBits

    package init(_ bits: ChunkBits) {
        self.bits = bits
    }

    package static func == (left: AddressedChunk, right: AddressedChunk) -> Bool { left.bits == right.bits }

    package func hash(into hasher: inout Hasher) { hasher.combine(bits) }
}
