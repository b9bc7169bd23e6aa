#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A first-in, first-out queue of bytes in one contiguous block.
struct ByteQueue: ~Copyable {
    /// The capacity that an empty queue may keep, so that a burst does not keep memory for the life of a connection.
    private static let keptCapacity = 64 * 1024

    private var storage: UnsafeMutableRawPointer?
    private var capacity = 0
    private var head = 0
    private var tail = 0

    var count: Int { tail - head }

    /// The queued bytes, valid until the next mutation.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: storage.map { $0 + head }, count: count) }

    mutating func append(_ new: UnsafeRawBufferPointer) {
        guard let source = new.baseAddress, new.count > 0 else { return }
        reserve(new.count)
        if let storage {
            memcpy(storage + tail, source, new.count)
            tail += new.count
        }
    }

    /// Moves up to `target.count` bytes into `target` and returns how many.
    mutating func take(into target: UnsafeMutableRawBufferPointer) -> Int {
        let taken = min(count, target.count)
        guard taken > 0, let storage, let destination = target.baseAddress else { return 0 }
        memcpy(destination, storage + head, taken)
        head += taken
        if head == tail { removeAll() }
        return taken
    }

    mutating func removeAll() {
        head = 0
        tail = 0
        if capacity > Self.keptCapacity {
            free(storage)
            storage = nil
            capacity = 0
        }
    }

    private mutating func reserve(_ additional: Int) {
        guard capacity - tail < additional else { return }
        let needed = count + additional
        if needed <= capacity, let storage {
            memmove(storage, storage + head, count)
        } else {
            var larger = max(capacity, 4096)
            while larger < needed { larger *= 2 }
            guard let block = malloc(larger) else { preconditionFailure("out of memory") }
            if let storage { memcpy(block, storage + head, count) }
            free(storage)
            storage = block
            capacity = larger
        }
        tail = count
        head = 0
    }

    deinit { free(storage) }
}
