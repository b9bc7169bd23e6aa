internal import CCarillonNghttp2
internal import Glibc

/// The memory of one nghttp2 session: small blocks by size, kept for the next stream until the session is freed.
///
/// A thousand streams that begin and end together overflow the caches of the C library's allocator, which then merges
/// and splits blocks at each of them. Not thread-safe, as a session is not. Holds at most what nghttp2 once needed at
/// the same time, by class of size.
struct BlockPool: ~Copyable {
    /// What stands before each block: its room in bytes, or the next free block of its class.
    private struct Header {
        var capacity: Int
        var next: UnsafeMutablePointer<Header>?
    }

    /// Lists of free blocks, and the chunk that new ones are cut from.
    private struct Shelf {
        let free: UnsafeMutablePointer<UnsafeMutablePointer<Header>?>
        var chunk: UnsafeMutableRawPointer?
        var chunkRest = 0
        var chunks: [UnsafeMutableRawPointer] = []

        mutating func take(_ size: Int) -> UnsafeMutableRawPointer? {
            let step = BlockPool.step
            if size > BlockPool.maxPooled { return BlockPool.large(size) }
            let number = max(1, (size + step - 1) / step)
            if let block = free[number] {
                free[number] = block.pointee.next
                return UnsafeMutableRawPointer(block + 1)
            }
            return cut(number * step)
        }

        /// Cuts a block that no one has had before.
        @inline(never)
        private mutating func cut(_ capacity: Int) -> UnsafeMutableRawPointer? {
            let needed = capacity + MemoryLayout<Header>.size
            if chunkRest < needed {
                guard let fresh = malloc(BlockPool.chunkSize) else { return nil }
                chunks.append(fresh)
                chunk = fresh
                chunkRest = BlockPool.chunkSize
            }
            guard let block = chunk else { return nil }
            chunk = block + needed
            chunkRest -= needed
            let header = block.bindMemory(to: Header.self, capacity: 1)
            header.initialize(to: Header(capacity: capacity, next: nil))
            return UnsafeMutableRawPointer(header + 1)
        }

        func give(_ block: UnsafeMutableRawPointer) {
            let header = BlockPool.header(of: block)
            let capacity = header.pointee.capacity
            if capacity > BlockPool.maxPooled { return Glibc.free(header) }
            header.pointee.next = free[capacity / BlockPool.step]
            free[capacity / BlockPool.step] = header
        }
    }

    private static let step = 16
    private static let maxPooled = 1024
    private static let chunkSize = 32 << 10

    private let shelf: UnsafeMutablePointer<Shelf>

    init() {
        let classes = BlockPool.maxPooled / BlockPool.step + 1
        let free = UnsafeMutablePointer<UnsafeMutablePointer<Header>?>.allocate(capacity: classes)
        free.initialize(repeating: nil, count: classes)
        shelf = .allocate(capacity: 1)
        shelf.initialize(to: Shelf(free: free))
    }

    /// Frees every small block, also those still in use: the session must be gone.
    deinit {
        for chunk in shelf.pointee.chunks { free(chunk) }
        shelf.pointee.free.deallocate()
        shelf.deinitialize(count: 1)
        shelf.deallocate()
    }

    /// The functions that nghttp2 calls instead of malloc and its like; valid as long as the pool.
    var functions: nghttp2_mem {
        nghttp2_mem(
            mem_user_data: shelf,
            malloc: { size, shelf in BlockPool.shelf(shelf)?.pointee.take(size) },
            free: { block, shelf in if let block { BlockPool.shelf(shelf)?.pointee.give(block) } },
            calloc: { count, size, shelf in
                let (total, overflow) = count.multipliedReportingOverflow(by: size)
                guard !overflow, let block = BlockPool.shelf(shelf)?.pointee.take(total) else { return nil }
                return memset(block, 0, total)
            },
            realloc: { block, size, shelf in
                guard let shelf = BlockPool.shelf(shelf) else { return nil }
                guard let block else { return shelf.pointee.take(size) }
                let capacity = BlockPool.header(of: block).pointee.capacity
                if size <= capacity { return block }
                guard let larger = shelf.pointee.take(size) else { return nil }
                memcpy(larger, block, capacity)
                shelf.pointee.give(block)
                return larger
            }
        )
    }

    // Safety: the user data of the functions is the shelf, which lives as long as the pool.
    private static func shelf(_ data: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<Shelf>? {
        data?.assumingMemoryBound(to: Shelf.self)
    }

    // Safety: each block handed out has its header right before it.
    private static func header(of block: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Header> {
        (block - MemoryLayout<Header>.size).assumingMemoryBound(to: Header.self)
    }

    private static func large(_ size: Int) -> UnsafeMutableRawPointer? {
        let (needed, overflow) = size.addingReportingOverflow(MemoryLayout<Header>.size)
        guard !overflow, let block = malloc(needed) else { return nil }
        let header = block.bindMemory(to: Header.self, capacity: 1)
        header.initialize(to: Header(capacity: size, next: nil))
        return UnsafeMutableRawPointer(header + 1)
    }
}
