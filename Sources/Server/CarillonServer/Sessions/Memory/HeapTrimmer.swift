import Glibc

/// Returns free memory to the system after clients have held much: the allocator keeps it otherwise, cut into pieces.
final class HeapTrimmer: Sendable {
    private let memory: SharedMemoryBudget

    init(_ memory: SharedMemoryBudget) {
        self.memory = memory
    }

    /// Gives free memory back if the connections have held much since the last call, and hold little now. This may take
    /// some milliseconds, so it is called on a thread of `upkeep`.
    func run() {
        guard memory.takeTrimSignal() else { return }
        // Swift's module of the C library does not have malloc_trim(3).
        guard let symbol = dlsym(nil, "malloc_trim") else { return }
        let trim = unsafeBitCast(symbol, to: (@convention(c) (Int) -> CInt).self)
        _ = trim(0)
    }
}
