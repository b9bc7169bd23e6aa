import CarillonCore
import CarillonLMDB

/// The devices of sets, chunk by chunk.
extension SetCache {
    func contains(_ id: DeviceID, within set: CachedSet, in transaction: borrowing WriteTransaction) throws -> Bool {
        try loadChunk(id.chunk, of: set, in: transaction).bits.contains(id.offset)
    }

    /// Inserts a device into a set; returns false if it was in the set.
    @discardableResult
    func insert(_ id: DeviceID, into set: CachedSet, in transaction: borrowing WriteTransaction) throws -> Bool {
        let chunk = try loadChunk(id.chunk, of: set, in: transaction)
        guard chunk.bits.insert(id.offset) else { return false }
        chunk.count += 1
        set.record.devices += 1
        markChanged(chunk, of: set)
        return true
    }

    /// Removes a device from a set, if it is in the set.
    func remove(_ id: DeviceID, from set: CachedSet, in transaction: borrowing WriteTransaction) throws {
        let chunk = try loadChunk(id.chunk, of: set, in: transaction)
        guard chunk.bits.remove(id.offset) else { return }
        chunk.count -= 1
        try subtractDevices(1, from: set)
        markChanged(chunk, of: set)
    }

    func insert(
        _ bits: ChunkBits,
        at number: ChunkNumber,
        into set: CachedSet,
        in transaction: inout WriteTransaction
    ) throws {
        let chunk = try loadChunk(number, of: set, in: transaction)
        let before = chunk.count
        chunk.bits.formUnion(bits)
        chunk.count = chunk.bits.count
        guard chunk.count > before else { return }
        set.record.devices += UInt64(chunk.count - before)
        markChanged(chunk, of: set)
        try evictChunksIfFull(in: &transaction)
    }

    func remove(
        _ bits: ChunkBits,
        at number: ChunkNumber,
        from set: CachedSet,
        in transaction: inout WriteTransaction
    ) throws {
        let chunk = try loadChunk(number, of: set, in: transaction)
        let before = chunk.count
        chunk.bits.subtract(bits)
        chunk.count = chunk.bits.count
        guard chunk.count < before else { return }
        try subtractDevices(UInt64(before - chunk.count), from: set)
        markChanged(chunk, of: set)
        try evictChunksIfFull(in: &transaction)
    }

    func bits(
        of set: CachedSet, at number: ChunkNumber, in transaction: borrowing WriteTransaction
    ) throws -> ChunkBits {
        try loadChunk(number, of: set, in: transaction).bits
    }

    /// Returns the chunks of a set that have devices, ascending.
    func chunks(of set: CachedSet, in transaction: borrowing WriteTransaction) throws -> [ChunkNumber] {
        var numbers: Set<ChunkNumber> = []
        try tables.postings.forEach(app: set.app, set: set.number, in: transaction) { number, _ in
            numbers.insert(number)
            return .proceed
        }
        for chunk in set.chunks.values {
            if chunk.count > 0 { numbers.insert(chunk.number) } else { numbers.remove(chunk.number) }
        }
        return numbers.sorted()
    }

    private func subtractDevices(_ count: UInt64, from set: CachedSet) throws {
        guard set.record.devices >= count else { throw RegistryError.corrupted("sets: fewer devices than postings") }
        set.record.devices -= count
    }

    /// Returns a chunk of a set, and reads it if it is not in memory.
    private func loadChunk(
        _ number: ChunkNumber, of set: CachedSet, in transaction: borrowing WriteTransaction
    ) throws -> CachedChunk {
        if let last = set.lastChunk, last.number == number { return last }
        let chunk: CachedChunk
        if let cached = set.chunks[number] {
            chunk = cached
        } else {
            let stored = try tables.postings.get(
                PostingTable.RowKey(app: set.app, set: set.number, chunk: number), in: transaction)
            chunk = CachedChunk(number: number, bits: stored ?? ChunkBits())
            set.chunks[number] = chunk
            chunkLoaded()
        }
        set.lastChunk = chunk
        return chunk
    }
}
