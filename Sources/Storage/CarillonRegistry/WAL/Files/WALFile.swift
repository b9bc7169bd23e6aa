import CarillonCore
import Glibc

/// An open file of the write-ahead log: bytes at offsets.
final class WALFile {
    private let descriptor: CInt
    private let path: String

    init(descriptor: CInt, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { close(descriptor) }

    var byteCount: Int {
        get throws(RegistryError) { Int(try status().st_size) }
    }

    func status() throws(RegistryError) -> stat {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(path, cannotBe: "read") }
        return status
    }

    /// Reads at most `count` bytes; fewer if the file ends before.
    func read(_ count: Int, at offset: Int) throws(RegistryError) -> [UInt8] {
        var hasFailed = false
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let result = pread(descriptor, buffer.baseAddress! + filled, count - filled, off_t(offset + filled))
                if result < 0 && errno == EINTR { continue }
                hasFailed = result < 0
                guard result > 0 else { return }
                filled += result
            }
        }
        if hasFailed { throw .system(path, cannotBe: "read") }
        return bytes
    }

    /// Writes bytes, without waiting for the disk.
    func write(_ bytes: [UInt8], at offset: Int) throws(RegistryError) {
        var written = 0
        while written < bytes.count {
            let result = bytes.withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress! + written, bytes.count - written, off_t(offset + written))
            }
            if result < 0 && errno == EINTR { continue }
            guard result > 0 else { throw .system(path, cannotBe: "written") }
            written += result
        }
    }

    /// Appends zeros up to an offset, in pieces of a page: Linux keeps bytes that are first written in one call as one
    /// folio of its cache, and ext4 goes through the whole folio at each later write.
    ///
    /// Failures are ignored here: the write that needs the room will fail and report them.
    func grow(from end: Int, to offset: Int) {
        let zeros = [UInt8](repeating: 0, count: WALRecord.alignment)
        for start in stride(from: end, to: offset, by: zeros.count) {
            let count = min(zeros.count, offset - start)
            guard pwrite(descriptor, zeros, count, off_t(start)) == count else { return }
        }
    }

    /// Waits until the bytes are on the disk.
    func sync() throws(RegistryError) {
        guard fdatasync(descriptor) == 0 else { throw .system(path, cannotBe: "written") }
    }

    /// Removes all bytes from an offset on.
    func truncate(to count: Int) throws(RegistryError) {
        guard ftruncate(descriptor, off_t(count)) == 0 else { throw .system(path, cannotBe: "cut") }
    }
}
