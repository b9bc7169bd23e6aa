import CCarillonOpenSSL

/// The two ends of a session without a socket: received ciphertext and ciphertext to send.
///
/// OpenSSL's own memory BIO clears its whole block on each reset (`mem_ctrl` in `bss_mem.c`); this one moves two
/// indices.
final class MemoryBIO {
    var incoming = ByteQueue()
    var outgoing = ByteQueue()

    /// Returns a new `BIO` over this object, owned by the caller (in practice by the `SSL` that it is given to).
    func makeBIO() -> OpaquePointer? {
        guard let method = Self.method.pointer, let bio = BIO_new(method) else { return nil }
        // Safety: the BIO holds a retained reference, released exactly once in `destroy`, which BIO_free calls.
        BIO_set_data(bio, Unmanaged.passRetained(self).toOpaque())
        BIO_set_init(bio, 1)
        return bio
    }

    // Safety: filled in before it is shared, never changed or freed after: BIO_meth_new(3).
    private struct Method: @unchecked Sendable {
        let pointer: OpaquePointer?
    }

    private static let method: Method = {
        let type = BIO_get_new_index()
        guard type != -1, let method = BIO_meth_new(type | BIO_TYPE_SOURCE_SINK, "carillon memory") else {
            return Method(pointer: nil)
        }
        BIO_meth_set_write(method, MemoryBIO.write)
        BIO_meth_set_read(method, MemoryBIO.read)
        BIO_meth_set_ctrl(method, MemoryBIO.control)
        BIO_meth_set_destroy(method, MemoryBIO.destroy)
        return Method(pointer: method)
    }()

    private static func from(_ bio: OpaquePointer?) -> MemoryBIO? {
        // Safety: the data is the reference retained in `makeBIO`, alive as long as the BIO.
        BIO_get_data(bio).map { Unmanaged<MemoryBIO>.fromOpaque($0).takeUnretainedValue() }
    }

    private static let write: @convention(c) (OpaquePointer?, UnsafePointer<CChar>?, Int32) -> Int32 = {
        bio,
        bytes,
        count in
        guard let memory = MemoryBIO.from(bio), let bytes, count > 0 else { return 0 }
        carillon_BIO_clear_retry_flags(bio)
        memory.outgoing.append(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
        return count
    }

    private static let read: @convention(c) (OpaquePointer?, UnsafeMutablePointer<CChar>?, Int32) -> Int32 = {
        bio,
        target,
        count in
        guard let memory = MemoryBIO.from(bio), let target, count > 0 else { return 0 }
        carillon_BIO_clear_retry_flags(bio)
        let taken = memory.incoming.take(into: UnsafeMutableRawBufferPointer(start: target, count: Int(count)))
        if taken == 0 {
            carillon_BIO_set_retry_read(bio)
            return -1
        }
        return Int32(taken)
    }

    private static let control: @convention(c) (OpaquePointer?, Int32, Int, UnsafeMutableRawPointer?) -> Int = {
        _,
        command,
        _,
        _ in
        command == BIO_CTRL_FLUSH ? 1 : 0
    }

    private static let destroy: @convention(c) (OpaquePointer?) -> Int32 = { bio in
        guard let data = BIO_get_data(bio) else { return 1 }
        BIO_set_data(bio, nil)
        // Safety: balances `passRetained` in `makeBIO`; the data was just cleared, so it cannot happen twice.
        Unmanaged<MemoryBIO>.fromOpaque(data).release()
        return 1
    }
}
