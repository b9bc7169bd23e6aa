import Glibc

/// A pipe that ends a wait in poll(2).
// Safety: both descriptors are made in `init` and closed in `deinit`; write(2) and read(2) may come from any thread.
final class Wakeup: Sendable {
    /// The end that is ready for reading after ``wake()``.
    let descriptor: Int32
    private let sender: Int32

    /// Opens the pipe; nil if the process has no descriptors left.
    init?() {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { return nil }
        descriptor = ends[0]
        sender = ends[1]
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
    }

    deinit {
        close(descriptor)
        close(sender)
    }

    /// Ends the wait. It ends also if the pipe is full.
    func wake() {
        var byte: UInt8 = 0
        _ = write(sender, &byte, 1)
    }

    /// Reads and drops the bytes that ``wake()`` has written.
    func clear() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(descriptor, &bytes, bytes.count) == bytes.count {}
    }
}
