import CCarillonOpenSSL

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Calls read(2), whose name a function of the type below has too.
private func readSome(_ file: CInt, to buffer: UnsafeMutableRawPointer?, count: Int) -> Int {
    read(file, buffer, count)
}

/// Secrets in files.
extension SecretBytes {
    package static let maximumFileBytes = 64 * 1024

    /// Reads a secret file that only its owner can read; the owner must be this process's user or root.
    ///
    /// - Parameter refusesReadableByOthers: false if the operator allows other users to read this file.
    package static func load(path: String, refusesReadableByOthers: Bool = true) throws(SecretFileError) -> SecretBytes
    {
        try read(path: path, refusesReadableByOthers: refusesReadableByOthers)
    }

    /// Reads a small file that need not be secret.
    static func read(path: String, refusesReadableByOthers: Bool) throws(SecretFileError) -> SecretBytes {
        // O_NONBLOCK: a FIFO instead of a file must not block before it is refused.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw .unreadable(path: path, errno: errno) }
        defer { close(file) }
        try check(file, path: path, refusesReadableByOthers: refusesReadableByOthers)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: maximumFileBytes + 1, alignment: 1)
        defer {
            OPENSSL_cleanse(buffer.baseAddress, buffer.count)
            buffer.deallocate()
        }
        var count = 0
        while count < buffer.count {
            let got = readSome(file, to: buffer.baseAddress.map { $0 + count }, count: buffer.count - count)
            if got < 0 && errno == EINTR { continue }
            guard got >= 0 else { throw .unreadable(path: path, errno: errno) }
            if got == 0 { break }
            count += got
        }
        guard count <= maximumFileBytes else { throw .tooLarge(path: path) }
        return SecretBytes(copying: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }

    private static func check(_ file: Int32, path: String, refusesReadableByOthers: Bool) throws(SecretFileError) {
        var status = stat()
        guard fstat(file, &status) == 0 else { throw .unreadable(path: path, errno: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile(path: path) }
        guard status.st_size <= maximumFileBytes else { throw .tooLarge(path: path) }
        guard refusesReadableByOthers else { return }
        guard status.st_uid == geteuid() || status.st_uid == 0 else { throw .foreignOwner(path: path) }
        let mode = UInt32(status.st_mode & 0o7777)
        guard mode & 0o077 == 0 else { throw .readableByOthers(path: path, mode: mode) }
    }
}
