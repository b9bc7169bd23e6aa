/// A record that a slab reuses; it keeps its memory between uses.
package protocol SlabRecord {
    init()
    /// Whether the record is in use.
    var isOpen: Bool { get set }
    /// The next record of the free list; nil while this one is in use.
    var nextFree: UnsafeMutablePointer<Self>? { get set }
    /// Resets the record for its next use.
    mutating func reset()
    /// Frees the record's own memory, at the end of the slab.
    mutating func free()
}

/// Records at addresses that do not move, with a free list: acquiring one allocates nothing once the slab has grown.
package final class Slab<Record: SlabRecord> {
    /// The address of a record.
    package typealias Slot = UnsafeMutablePointer<Record>

    @usableFromInline var blocks: [Slot] = []
    @usableFromInline var firstFree: Slot?
    @usableFromInline var used = 0

    @usableFromInline static var blockSize: Int { 64 }

    /// Makes an empty slab.
    @inlinable
    package init() {}

    @inlinable
    deinit {
        for block in blocks {
            for index in 0..<Slab.blockSize { block[index].free() }
            block.deinitialize(count: Slab.blockSize)
            block.deallocate()
        }
    }

    /// The number of records in use.
    @inlinable
    package var openCount: Int { used }

    /// Returns a record that is not in use, and marks it as used.
    @inlinable
    package func acquire() -> Slot {
        let slot = firstFree ?? grow()
        firstFree = slot.pointee.nextFree
        slot.pointee.nextFree = nil
        slot.pointee.isOpen = true
        used += 1
        return slot
    }

    /// Resets a record and returns it to the free list.
    @inlinable
    package func release(_ slot: Slot) {
        slot.pointee.reset()
        slot.pointee.isOpen = false
        slot.pointee.nextFree = firstFree
        firstFree = slot
        used -= 1
    }

    /// Calls `body` with each record in use, in no order.
    @inlinable
    package func forEachOpen(_ body: (Slot) -> Void) {
        for block in blocks {
            for index in 0..<Slab.blockSize where block[index].isOpen { body(block + index) }
        }
    }

    /// Adds a block and returns the first of its free records.
    @inlinable
    func grow() -> Slot {
        let block = Slot.allocate(capacity: Slab.blockSize)
        for index in (0..<Slab.blockSize).reversed() {
            (block + index).initialize(to: Record())
            block[index].nextFree = index + 1 < Slab.blockSize ? block + index + 1 : nil
        }
        blocks.append(block)
        return block
    }
}
