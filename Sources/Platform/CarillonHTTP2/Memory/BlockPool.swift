import CCarillonNghttp2
import Glibc

/// The memory allocator of one nghttp2 session. Small blocks are kept by their size for the next stream, until the
/// session is freed.
///
/// A thousand streams that begin and end together overflow the caches of the C library's allocator, which then merges
/// and splits blocks for each of them. Like a session, it is not thread-safe. Of each size class it keeps at most the
/// blocks that nghttp2 once needed at the same time.
struct BlockPool: ~Copyable {
    /// The header before each block: its capacity in bytes, and the next free block of its size class.
    private struct Header {
        var capacity: Int
        var next: UnsafeMutablePointer<Header>?
    }

    /// The lists of free blocks, and the region that new ones are cut from.
    private struct FreeLists {
        let free: UnsafeMutablePointer<UnsafeMutablePointer<Header>?>
        var region: UnsafeMutableRawPointer?
        var regionRemaining = 0
        var regions: [UnsafeMutableRawPointer] = []

        mutating func allocate(_ size: Int) -> UnsafeMutableRawPointer? {
            let step = BlockPool.stepBytes
            if size > BlockPool.maximumPooledBytes { return BlockPool.large(size) }
            let number = max(1, (size + step - 1) / step)
            if let block = free[number] {
                free[number] = block.pointee.next
                return UnsafeMutableRawPointer(block + 1)
            }
            return cut(number * step)
        }

        /// Cuts a new block from the current region.
        @inline(never)
        private mutating func cut(_ capacity: Int) -> UnsafeMutableRawPointer? {
            let needed = capacity + MemoryLayout<Header>.size
            if regionRemaining < needed {
                guard let fresh = malloc(BlockPool.regionBytes) else { return nil }
                regions.append(fresh)
                region = fresh
                regionRemaining = BlockPool.regionBytes
            }
            guard let block = region else { return nil }
            region = block + needed
            regionRemaining -= needed
            let header = block.bindMemory(to: Header.self, capacity: 1)
            header.initialize(to: Header(capacity: capacity, next: nil))
            return UnsafeMutableRawPointer(header + 1)
        }

        func deallocate(_ block: UnsafeMutableRawPointer) {
            let header = BlockPool.header(of: block)
            let capacity = header.pointee.capacity
            if capacity > BlockPool.maximumPooledBytes { return Glibc.free(header) }
            header.pointee.next = free[capacity / BlockPool.stepBytes]
            free[capacity / BlockPool.stepBytes] = header
        }
    }

    /// The capacities of pooled blocks are multiples of this: each is a size class.
    private static let stepBytes = 16
    /// The largest block that is pooled. Nearly all blocks of a stream are smaller; larger ones are the C library's.
    private static let maximumPooledBytes = 1_024
    /// The memory that the pool takes from the C library at a time.
    private static let regionBytes = 32 << 10

    private let lists: UnsafeMutablePointer<FreeLists>

    init() {
        let classes = BlockPool.maximumPooledBytes / BlockPool.stepBytes + 1
        let free = UnsafeMutablePointer<UnsafeMutablePointer<Header>?>.allocate(capacity: classes)
        free.initialize(repeating: nil, count: classes)
        lists = .allocate(capacity: 1)
        lists.initialize(to: FreeLists(free: free))
    }

    /// Frees every small block, also those still in use: the session must be freed before.
    deinit {
        for region in lists.pointee.regions { free(region) }
        lists.pointee.free.deallocate()
        lists.deinitialize(count: 1)
        lists.deallocate()
    }

    /// The functions that nghttp2 calls instead of malloc and its like; valid as long as the pool.
    var functions: nghttp2_mem {
        nghttp2_mem(
            mem_user_data: lists,
            malloc: { size, data in BlockPool.lists(data)?.pointee.allocate(size) },
            free: { block, data in if let block { BlockPool.lists(data)?.pointee.deallocate(block) } },
            calloc: { count, size, data in
                let (total, overflow) = count.multipliedReportingOverflow(by: size)
                guard !overflow, let block = BlockPool.lists(data)?.pointee.allocate(total) else { return nil }
                return memset(block, 0, total)
            },
            realloc: { block, size, data in
                guard let lists = BlockPool.lists(data) else { return nil }
                guard let block else { return lists.pointee.allocate(size) }
                let capacity = BlockPool.header(of: block).pointee.capacity
                if size <= capacity { return block }
                guard let larger = lists.pointee.allocate(size) else { return nil }
                memcpy(larger, block, capacity)
                lists.pointee.deallocate(block)
                return larger
            }
        )
    }

    // Safety: the user data of the functions are the lists, which live as long as the pool.
    private static func lists(_ data: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<FreeLists>? {
        data?.assumingMemoryBound(to: FreeLists.self)
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
