import CCarillonOpenSSL

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

    /// Returns the bytes before the first one for which `isWanted` is false.
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
}

/// Overwrites secrets in memory that is about to be freed; no compiler leaves that out.
package func erase(_ memory: UnsafeMutableRawBufferPointer) {
    OPENSSL_cleanse(memory.baseAddress, memory.count)
}
