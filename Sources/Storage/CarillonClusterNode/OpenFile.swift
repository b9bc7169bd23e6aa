import Glibc

/// A file that is read or written from its beginning to its end.
final class OpenFile {
    private let descriptor: CInt

    init?(reading path: String) {
        descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        if descriptor < 0 { return nil }
    }

    init?(writing path: String) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        if descriptor < 0 { return nil }
    }

    deinit { close(descriptor) }

    /// Returns the next bytes, fewer at the end of the file; nil if the system reports an error.
    func read(_ count: Int) -> [UInt8]? {
        var hasFailed = false
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let result = Glibc.read(descriptor, buffer.baseAddress! + filled, count - filled)
                if result < 0 && errno == EINTR { continue }
                hasFailed = result < 0
                guard result > 0 else { return }
                filled += result
            }
        }
        return hasFailed ? nil : bytes
    }

    /// Writes all bytes. Returns false if the system reports an error.
    func write(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0 && errno == EINTR { continue }
            guard written > 0 else { return false }
            rest = rest.dropFirst(written)
        }
        return true
    }
}
