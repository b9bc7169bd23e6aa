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

/// Bytes that are overwritten before their memory is freed: keys and passwords for OpenSSL.
// Safety: the block has one owner and does not change between `init` and `deinit`.
package struct SecretBytes: ~Copyable, @unchecked Sendable {
    private let storage: UnsafeMutableRawBufferPointer

    /// Copies `bytes`; the caller must erase its own copy.
    package init(copying bytes: some Collection<UInt8>) {
        storage = .allocate(byteCount: bytes.count, alignment: 1)
        storage.copyBytes(from: bytes)
    }

    /// Allocates `capacity` bytes, into which `fill` writes; `fill` returns the number of bytes that it has
    /// written.
    package init<E: Error>(
        capacity: Int, fill: (UnsafeMutableRawBufferPointer) throws(E) -> Int
    ) throws(E) {
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 1)
        do throws(E) {
            storage = UnsafeMutableRawBufferPointer(rebasing: room[..<(try fill(room))])
        } catch {
            OPENSSL_cleanse(room.baseAddress, room.count)
            room.deallocate()
            throw error
        }
    }

    /// Calls `body` with the bytes, valid during the call.
    package borrowing func withUnsafeBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R
    {
        try body(UnsafeRawBufferPointer(storage))
    }

    /// Returns the bytes before the first that is not as `isWanted` says.
    package borrowing func prefix(while isWanted: (UInt8) -> Bool) -> SecretBytes {
        SecretBytes(copying: UnsafeRawBufferPointer(storage).prefix(while: isWanted))
    }

    deinit {
        OPENSSL_cleanse(storage.baseAddress, storage.count)
        storage.deallocate()
    }
}

extension SecretBytes {
    /// Keeps the memory of this process, with every key in it, from core dumps and from other processes of its user. A
    /// limit of core dumps alone does not: the kernel does not apply it where `core_pattern` is a pipe.
    ///
    /// - Returns: true if the kernel has done it.
    @discardableResult
    package static func forbidMemoryDumps() -> Bool {
        #if os(Linux)
        return carillon_forbid_memory_dumps() == 0
        #else
        return false
        #endif
    }

    /// The limit of a secret file, in bytes.
    package static let maximumFileBytes = 64 * 1024

    /// Reads a secret file that only its owner can read; the owner must be this process's user or root.
    ///
    /// - Parameter ownerOnly: false if the operator allows other users to read this file.
    package static func load(path: String, ownerOnly: Bool = true) throws(SecretFileError) -> SecretBytes {
        try read(path: path, ownerOnly: ownerOnly)
    }

    /// Reads a small file that need not be secret.
    static func read(path: String, ownerOnly: Bool) throws(SecretFileError) -> SecretBytes {
        // O_NONBLOCK: a FIFO instead of a file must not block before it is refused.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw .unreadable(path: path, errno: errno) }
        defer { close(file) }
        try check(file, path: path, ownerOnly: ownerOnly)
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

    private static func check(_ file: Int32, path: String, ownerOnly: Bool) throws(SecretFileError) {
        var status = stat()
        guard fstat(file, &status) == 0 else { throw .unreadable(path: path, errno: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile(path: path) }
        guard status.st_size <= maximumFileBytes else { throw .tooLarge(path: path) }
        guard ownerOnly else { return }
        guard status.st_uid == geteuid() || status.st_uid == 0 else { throw .foreignOwner(path: path) }
        let mode = UInt32(status.st_mode & 0o7777)
        guard mode & 0o077 == 0 else { throw .tooOpen(path: path, mode: mode) }
    }
}

/// Overwrites secrets in memory that is about to be freed; no compiler leaves that out.
package func erase(_ memory: UnsafeMutableRawBufferPointer) {
    OPENSSL_cleanse(memory.baseAddress, memory.count)
}

/// The reason why a secret file was not read; the description names the path and the remedy.
package enum SecretFileError: Error, Hashable, Sendable {
    case unreadable(path: String, errno: Int32)
    case notAFile(path: String)
    /// The owner is neither this process's user nor root.
    case foreignOwner(path: String)
    /// Group or others have rights on the file; `mode` is the permission bits.
    case tooOpen(path: String, mode: UInt32)
    case tooLarge(path: String)
}

extension SecretFileError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unreadable(let path, let errno): "cannot read \(path): \(String(cString: strerror(errno)))"
        case .notAFile(let path): "\(path) is not a regular file"
        case .foreignOwner(let path):
            "\(path) belongs to another user: it must belong to the user of the server, and this must run as that user"
        case .tooOpen(let path, let mode):
            "\(path) has mode \(String(mode, radix: 8)), so others than its owner can use it: chmod 600 \(path)"
        case .tooLarge(let path): "\(path) is larger than \(SecretBytes.maximumFileBytes) bytes"
        }
    }
}
