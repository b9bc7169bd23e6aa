package import CarillonProvider
import Glibc
package import NIOCore
import Synchronization

/// Reads the processor times of the threads of an event loop group, for `ConnectionGrowthRule`.
///
/// They come from `/proc/thread-self/schedstat` (proc_pid_schedstat in the kernel's documentation). A kernel that does
/// not count them gives zeros, so no loop seems busy.
package final class EventLoopTimes: Sendable {
    /// One open file a thread. They are opened on the threads, and stay in the order in which that happens.
    private let files = Mutex<[CInt]>([])

    /// Opens the files, each on its event loop, and returns before that is done.
    package init(of group: any EventLoopGroup) {
        for loop in group.makeIterator() {
            loop.execute { [weak self] in
                let file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)
                guard file >= 0 else { return }
                guard let self else {
                    close(file)
                    return
                }
                files.withLock { $0.append(file) }
            }
        }
    }

    deinit {
        for file in files.withLock({ $0 }) { close(file) }
    }

    /// Returns the times of the threads as they are now; of those whose file could be opened and read.
    package func current() -> [ConnectionGrowthRule.ProcessorTime] {
        files.withLock { $0.compactMap(Self.read) }
    }

    private static func read(_ file: CInt) -> ConnectionGrowthRule.ProcessorTime? {
        // Two numbers of 64 bits, a count of 64 bits, and what is between them.
        withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
            let count = pread(file, buffer.baseAddress, buffer.count, 0)
            guard count > 0 else { return nil }
            let numbers = buffer[..<count].split(separator: UInt8(ascii: " ")).map {
                UInt64(String(decoding: $0, as: UTF8.self))
            }
            guard numbers.count >= 2, let running = numbers[0], let waiting = numbers[1] else { return nil }
            return ConnectionGrowthRule.ProcessorTime(running: running, waiting: waiting)
        }
    }
}
