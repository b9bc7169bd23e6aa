import CarillonCore
import CarillonLMDB

final class CachedChunk {
    let number: ChunkNumber
    var bits: ChunkBits
    var count: Int
    var isChanged = false

    init(number: ChunkNumber, bits: ChunkBits) {
        self.number = number
        self.bits = bits
        count = bits.count
    }
}
