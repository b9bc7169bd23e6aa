/// A record that a slab hands out again and again, keeping what memory it has.
protocol SlabRecord {
    init()
    var isOpen: Bool { get set }
    var nextFree: UnsafeMutablePointer<Self>? { get set }
    /// Makes the record as good as new for its next use.
    mutating func reset()
    /// Frees the record's own memory, for ever.
    mutating func free()
}

/// Records at addresses that do not move, with a free list: taking one allocates nothing once the slab has grown.
final class Slab<Record: SlabRecord> {
    typealias Slot = UnsafeMutablePointer<Record>

    private var blocks: [Slot] = []
    private var firstFree: Slot?
    private(set) var openCount = 0

    private static var blockSize: Int { 64 }

    deinit {
        for block in blocks {
            for index in 0..<Slab.blockSize { block[index].free() }
            block.deinitialize(count: Slab.blockSize)
            block.deallocate()
        }
    }

    func acquire() -> Slot {
        let slot = firstFree ?? grow()
        firstFree = slot.pointee.nextFree
        slot.pointee.nextFree = nil
        slot.pointee.isOpen = true
        openCount += 1
        return slot
    }

    func release(_ slot: Slot) {
        slot.pointee.reset()
        slot.pointee.isOpen = false
        slot.pointee.nextFree = firstFree
        firstFree = slot
        openCount -= 1
    }

    func forEachOpen(_ body: (Slot) -> Void) {
        for block in blocks {
            for index in 0..<Slab.blockSize where block[index].isOpen { body(block + index) }
        }
    }

    /// Adds a block and returns the first of its free slots.
    private func grow() -> Slot {
        let block = Slot.allocate(capacity: Slab.blockSize)
        for index in (0..<Slab.blockSize).reversed() {
            (block + index).initialize(to: Record())
            block[index].nextFree = index + 1 < Slab.blockSize ? block + index + 1 : nil
        }
        blocks.append(block)
        return block
    }
}

/// Bytes that are gathered piece by piece, in memory kept for the next use.
struct ByteStore {
    private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private(set) var count = 0

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory.baseAddress, count: count) }

    /// Adds `piece` as far as `limit` bytes in all allow; false if something was cut.
    mutating func append(_ piece: UnsafeRawBufferPointer, limit: Int) -> Bool {
        let added = min(piece.count, limit - count)
        guard added > 0, let source = piece.baseAddress else { return piece.isEmpty }
        if count + added > memory.count { grow(to: count + added, limit: limit) }
        memory.baseAddress.map { ($0 + count).copyMemory(from: source, byteCount: added) }
        count += added
        return added == piece.count
    }

    /// Adds both pieces, or nil if they do not fit.
    mutating func append(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer, limit: Int) -> Bool {
        let size = count + one.count + other.count
        guard size <= limit else { return false }
        if size > memory.count { grow(to: size, limit: limit) }
        guard let end = memory.baseAddress.map({ $0 + count }) else { return size == 0 }
        if let source = one.baseAddress { end.copyMemory(from: source, byteCount: one.count) }
        if let source = other.baseAddress { (end + one.count).copyMemory(from: source, byteCount: other.count) }
        count = size
        return true
    }

    /// Has `body` write in place of what is there; it gets `size` bytes of room and returns how many it wrote.
    mutating func write(_ size: Int, _ body: (UnsafeMutableRawBufferPointer) -> Int) {
        count = 0
        if size > memory.count { grow(to: size, limit: size) }
        count = body(UnsafeMutableRawBufferPointer(rebasing: memory[..<size]))
    }

    @inline(never)
    private mutating func grow(to size: Int, limit: Int) {
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: min(limit, max(128, size * 2)), alignment: 1)
        larger.copyMemory(from: bytes)
        memory.deallocate()
        memory = larger
    }

    mutating func removeAll() { count = 0 }

    mutating func free() {
        memory.deallocate()
        self = ByteStore()
    }
}
