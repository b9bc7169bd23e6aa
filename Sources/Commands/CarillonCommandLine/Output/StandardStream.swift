import Foundation

/// Common parts of standard output and standard error.
enum StandardStream {
    /// Returns the number of columns of a terminal; nil if the descriptor is not that of a terminal.
    static func columns(of descriptor: Int32) -> Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Writes a whole text; returns the `errno`, or nil for success.
    static func write(_ text: String, to descriptor: Int32) -> Int32? {
        var text = text
        return text.withUTF8 { bytes in
            var remainder = UnsafeRawBufferPointer(bytes)
            while !remainder.isEmpty {
                let count = Foundation.write(descriptor, remainder.baseAddress, remainder.count)
                if count >= 0 {
                    remainder = UnsafeRawBufferPointer(rebasing: remainder.dropFirst(count))
                } else if errno == EAGAIN {
                    // Another process has made the shared file non-blocking.
                    var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    poll(&ready, 1, -1)
                } else if errno != EINTR {
                    return errno
                }
            }
            return nil
        }
    }
}
