import CarillonLMDB
import Glibc
import Synchronization

/// A table of words that threads read and write without a lock. All words are zero at first. Memory is taken only for
/// pages that are used.
final class AtomicWords: Sendable {
    private let byteCount: Int

    // Safety: the words are atomic, and stay mapped until `deinit`.
    private nonisolated(unsafe) let words: UnsafeMutablePointer<Atomic<UInt64>>

    /// Maps memory for `count` words; nil if the system has none.
    init?(count: Int) {
        byteCount = count * MemoryLayout<Atomic<UInt64>>.stride
        let memory = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let memory, memory != MAP_FAILED else { return nil }
        // Huge pages need fewer TLB entries. The table also works without them.
        _ = madvise(memory, byteCount, MADV_HUGEPAGE)
        // Safety: fresh pages are zero, and an atomic 0 is 64 zero bits.
        words = memory.bindMemory(to: Atomic<UInt64>.self, capacity: count)
    }

    deinit { munmap(words, byteCount) }

    // Safety: for the subscript, all users reduce their indices to the count.
    /// Reads or writes the word of an index, which must be below the count.
    @inline(__always)
    subscript(index: Int) -> UInt64 {
        get { words[index].load(ordering: .relaxed) }
        set { words[index].store(newValue, ordering: .relaxed) }
    }

    /// Asks the processor for the cache line of a word.
    @inline(__always)
    func prefetch(_ index: Int) {
        Prefetch.line(UInt(bitPattern: words + index))
    }
}
