// Public and inlinable, like `CallbackList` and `ByteStore`: the server half, which is another module, can then
// specialise them.
/// Records at addresses that do not move, with a free list: acquiring one allocates nothing once the slab has grown.
public final class Slab<Record: SlabElement> {
    /// The address of a record.
    public typealias Slot = UnsafeMutablePointer<Record>

    @usableFromInline var blocks: [Slot] = []
    /// The list of free records. It is behind a pointer, because each access to a variable that other modules see is
    /// checked at run time.
    @usableFromInline let free: UnsafeMutablePointer<FreeList>

    /// The free list, and the number of records in use.
    @usableFromInline
    struct FreeList {
        @usableFromInline var first: Slot?
        @usableFromInline var used = 0

        @inlinable
        init() {}
    }

    @inlinable static var recordsPerBlock: Int { 64 }

    /// Makes a slab without memory for records: the first `acquire` takes it.
    @inlinable
    public init() {
        free = .allocate(capacity: 1)
        free.initialize(to: FreeList())
    }

    @inlinable
    deinit {
        for block in blocks {
            for index in 0..<Slab.recordsPerBlock { block[index].free() }
            block.deinitialize(count: Slab.recordsPerBlock)
            block.deallocate()
        }
        free.deallocate()
    }

    /// The number of records in use.
    @inlinable
    public var openCount: Int { free.pointee.used }

    /// Returns a record that is not in use, and marks it as used.
    @inlinable
    public func acquire() -> Slot {
        let slot = free.pointee.first ?? grow()
        free.pointee.first = slot.pointee.nextFree
        slot.pointee.nextFree = nil
        slot.pointee.isOpen = true
        free.pointee.used += 1
        return slot
    }

    /// Resets a record and returns it to the free list.
    @inlinable
    public func release(_ slot: Slot) {
        slot.pointee.reset()
        slot.pointee.isOpen = false
        slot.pointee.nextFree = free.pointee.first
        free.pointee.first = slot
        free.pointee.used -= 1
    }

    /// Calls `body` with each record in use, in no order.
    @inlinable
    public func forEachOpen(_ body: (Slot) -> Void) {
        for block in blocks {
            for index in 0..<Slab.recordsPerBlock where block[index].isOpen { body(block + index) }
        }
    }

    /// Adds a block and returns the first of its free records.
    @inlinable
    func grow() -> Slot {
        let block = Slot.allocate(capacity: Slab.recordsPerBlock)
        for index in (0..<Slab.recordsPerBlock).reversed() {
            (block + index).initialize(to: Record())
            block[index].nextFree = index + 1 < Slab.recordsPerBlock ? block + index + 1 : nil
        }
        blocks.append(block)
        return block
    }
}

/// A record that a slab reuses; it keeps its memory between uses.
public protocol SlabElement {
    /// Makes a record that is not in use.
    init()
    /// True if the record is in use.
    var isOpen: Bool { get set }
    /// The next record of the free list; nil while this one is in use.
    var nextFree: UnsafeMutablePointer<Self>? { get set }
    /// Resets the record for its next use.
    mutating func reset()
    /// Frees the record's own memory, at the end of the slab.
    mutating func free()
}
