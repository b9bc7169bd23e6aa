import CarillonCore
import CarillonWire

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The write-ahead log: one file with the changes that are answered and not yet committed to the database, one record a
/// batch.
///
/// Each commit stores the LSN (log sequence number) of the last record whose changes it contains. So records are never
/// removed: after a commit the next record is written over the first one, and replay goes by the LSNs. Bytes behind the
/// last whole record, and records with an older LSN, are committed already or were never answered.
///
/// Form of the file, big-endian: the header is `CRLNJRN1`, the epoch of the registry (16 bytes) and a secret `u64`. A
/// record is the `u32` byte count of its block, `u32` 0, the block's MurmurHash3 (16 bytes), and the block: the secret,
/// the LSN `u64`, and the changes, each as the frame of its request (Protocol 3), with the time at which it was read in
/// the place of the frame's id. Behind the last record lie bytes of older records, and these contain what clients have
/// sent: without the secret a client could forge a record there.
///
/// It belongs to the writer thread.
final class WriteAheadLog {
    private let directory: String
    private let path: String
    private let epoch: UUIDBytes
    /// The open file; nil before the first record of a registry.
    private var descriptor: CInt?
    /// The number with which every block of this file begins.
    private var secret: UInt64 = 0
    /// The offset of the next record.
    private var end = headerBytes
    /// The LSN of the record that was written last, or of the last one whose changes the database contains.
    private(set) var lastLSN: UInt64

    private static let magic: UInt64 = 0x4352_4C4E_4A52_4E31
    private static let headerBytes = 32
    private static let prefixBytes = 24
    /// Bytes of a block before its changes.
    private static let blockHeadBytes = 16
    /// The name of the file in the directory of the registry.
    static let name = "journal"

    /// Opens the log of a registry. The file is made with its first record. A file of another registry is ignored, and
    /// overwritten then.
    ///
    /// - Parameters:
    ///   - storedLSN: the LSN of the last record whose changes the database contains.
    ///   - isReadOnly: nothing will be appended.
    init(directory: String, epoch: UUIDBytes, storedLSN: UInt64, isReadOnly: Bool = false) throws(RegistryError) {
        (self.directory, self.epoch, lastLSN) = (directory, epoch, storedLSN)
        path = directory + "/" + Self.name
        let opened = open(path, (isReadOnly ? O_RDONLY : O_RDWR) | O_NOFOLLOW | O_CLOEXEC)
        guard opened >= 0 else {
            if errno == ENOENT { return }
            throw Self.failure("opened", path)
        }
        descriptor = opened
        if let secret = try readSecret() {
            self.secret = secret
        } else {
            descriptor = nil
            close(opened)
        }
    }

    deinit { if let descriptor { close(descriptor) } }

    /// The secret of the file; nil if it is the log of another registry, or no log.
    private func readSecret() throws(RegistryError) -> UInt64? {
        let header = try read(Self.headerBytes, at: 0)
        guard header.count == Self.headerBytes else { return nil }
        let secret = Self.number(header, at: 24, as: UInt64.self)
        return header == Self.header(epoch, secret) ? secret : nil
    }

    private static func header(_ epoch: UUIDBytes, _ secret: UInt64) -> [UInt8] {
        ByteWriter.bytes(capacity: headerBytes) { writer in
            writer.append(magic)
            writer.append(epoch)
            writer.append(secret)
        }
    }

    /// The open file; makes an empty one if there is none of this registry.
    private func file() throws(RegistryError) -> CInt {
        if let descriptor { return descriptor }
        let made = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard made >= 0 else { throw Self.failure("made", path) }
        descriptor = made
        secret = .random(in: 0 ... .max)
        // Old bytes are cut off before the file gets the epoch of this registry.
        guard ftruncate(made, 0) == 0 else { throw Self.failure("cut", path) }
        try write(Self.header(epoch, secret), at: 0, to: made)
        guard fsync(made) == 0 else { throw Self.failure("written", path) }
        let folder = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw Self.failure("opened", directory) }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw Self.failure("written", directory) }
        return made
    }

    // MARK: Writing

    /// Bytes of the records since the last checkpoint.
    var byteCount: Int { end - Self.headerBytes }

    /// Writes a record and waits until it is on the disk.
    ///
    /// - Parameter frames: the changes, as ``ChangeRecordCodec`` encodes them.
    func append(_ frames: [UInt8]) throws(RegistryError) {
        let (lsn, overflows) = lastLSN.addingReportingOverflow(1)
        guard !overflows, let count = UInt32(exactly: frames.count + Self.blockHeadBytes) else {
            throw .storageFailed("a record too long for \(path)")
        }
        let file = try file()
        let block = ByteWriter.bytes(capacity: Int(count)) { writer in
            writer.append(secret)
            writer.append(lsn)
            writer.append(contentsOf: frames)
        }
        let hash = MurmurHash3(hashing: block)
        let prefix = ByteWriter.bytes(capacity: Self.prefixBytes) { writer in
            writer.append(count)
            writer.append(UInt32(0))
            writer.append(hash.high)
            writer.append(hash.low)
        }
        try write(prefix, at: end, to: file)
        try write(block, at: end + prefix.count, to: file)
        guard fdatasync(file) == 0 else { throw Self.failure("written", path) }
        end += prefix.count + block.count
        lastLSN = lsn
    }

    /// The database contains all changes of the log: the next record goes to the front.
    func checkpointed() {
        end = Self.headerBytes
    }

    // MARK: Reading

    /// Calls `body` with the changes of each record that the database lacks, in order. The next record goes behind
    /// them.
    ///
    /// - Parameter storedLSN: the LSN of the last record whose changes the database contains.
    /// - Throws: `.corrupted` if records are missing between the database and the log, or if a whole record makes no
    ///   sense; what `body` throws.
    func replay(after storedLSN: UInt64, _ body: ([Change]) throws -> Void) throws {
        (end, lastLSN) = (Self.headerBytes, storedLSN)
        var offset = Self.headerBytes
        var isFirst = true
        while let record = try record(at: offset) {
            offset = record.end
            if record.lsn > lastLSN {
                guard record.lsn == lastLSN + 1 else {
                    if isFirst { throw RegistryError.corrupted("journal: it does not follow on what is stored") }
                    return
                }
                try body(try ChangeRecordCodec.changes(in: record.frames))
                (end, lastLSN) = (record.end, record.lsn)
            } else if lastLSN > storedLSN {
                // Of an earlier round through the file.
                return
            }
            isFirst = false
        }
    }

    /// Returns true if the log has changes that the database lacks.
    func isAhead(of storedLSN: UInt64) throws -> Bool {
        var records = 0
        try replay(after: storedLSN) { _ in records += 1 }
        return records > 0
    }

    private struct Record {
        let lsn: UInt64
        let frames: ArraySlice<UInt8>
        /// The offset of the next record.
        let end: Int
    }

    /// The record at an offset; nil if there is no whole one.
    private func record(at offset: Int) throws(RegistryError) -> Record? {
        guard let descriptor else { return nil }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.failure("read", path) }
        let left = Int(status.st_size) - offset
        guard left >= Self.prefixBytes + Self.blockHeadBytes else { return nil }
        let prefix = try read(Self.prefixBytes, at: offset)
        let (count, zero) = (
            Int(Self.number(prefix, at: 0, as: UInt32.self)), Self.number(prefix, at: 4, as: UInt32.self)
        )
        // Checked before memory is allocated for the block.
        guard zero == 0, count >= Self.blockHeadBytes, count <= left - Self.prefixBytes else { return nil }
        let block = try read(count, at: offset + Self.prefixBytes)
        guard block.count == count, Self.number(block, at: 0, as: UInt64.self) == secret,
            MurmurHash3(hashing: block)
                == MurmurHash3(
                    high: Self.number(prefix, at: 8, as: UInt64.self), low: Self.number(prefix, at: 16, as: UInt64.self)
                )
        else { return nil }
        return Record(
            lsn: Self.number(block, at: 8, as: UInt64.self), frames: block[Self.blockHeadBytes...],
            end: offset + Self.prefixBytes + count)
    }

    private static func number<N: FixedWidthInteger & BitwiseCopyable>(
        _ bytes: [UInt8], at offset: Int, as type: N.Type
    ) -> N {
        bytes.withUnsafeBytes { N(bigEndian: $0.loadUnaligned(fromByteOffset: offset, as: N.self)) }
    }

    // MARK: The file

    /// At most `count` bytes; fewer if the file ends before.
    private func read(_ count: Int, at offset: Int) throws(RegistryError) -> [UInt8] {
        guard let descriptor else { return [] }
        var failed = false
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let result = pread(descriptor, buffer.baseAddress! + filled, count - filled, off_t(offset + filled))
                if result < 0 && errno == EINTR { continue }
                failed = result < 0
                guard result > 0 else { return }
                filled += result
            }
        }
        if failed { throw Self.failure("read", path) }
        return bytes
    }

    private func write(_ bytes: [UInt8], at offset: Int, to descriptor: CInt) throws(RegistryError) {
        var written = 0
        while written < bytes.count {
            let result = bytes.withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress! + written, bytes.count - written, off_t(offset + written))
            }
            if result < 0 && errno == EINTR { continue }
            guard result > 0 else { throw Self.failure("written", path) }
            written += result
        }
    }

    private static func failure(_ verb: String, _ path: String) -> RegistryError {
        .storageFailed("\(path) cannot be \(verb): \(String(cString: strerror(errno)))")
    }
}
