import CarillonCore
import CarillonWire

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// What was answered but is not yet committed to the database: one file, written from front to back, a record a batch.
///
/// The database notes, in each commit, the number of the last record whose changes it holds. So records are never removed: once all
/// of them are committed the next is written over the first, and whoever reads goes by the numbers. What follows the last whole
/// record, and what bears an older number, was never answered or is committed.
///
/// Form of the file, big-endian: the header is `CRLNJRN1`, the epoch of the registry (16 bytes) and a number that nobody else knows, `u64`.
/// A record is `u32` bytes of its block, `u32` 0, the block's MurmurHash3 (16 bytes) and the block: the secret number, its own, `u64`, and
/// the changes, each as the frame of the request that asked for it (Protocol 3), with the time at which it was read in the place
/// of the frame's id. Behind the last record lies the rest of older ones, and in these what clients have sent: without the secret
/// one of them could make up a record of its own there.
///
/// It belongs to the writer thread.
final class Journal {
    private let directory: String
    private let path: String
    private let epoch: UUIDBytes
    /// The open file; nothing before the first record of a registry.
    private var descriptor: CInt?
    /// What every record of this file begins with.
    private var secret: UInt64 = 0
    /// Where the next record goes.
    private var end = headerBytes
    /// The number of the record written last.
    private var last: UInt64

    private static let magic: UInt64 = 0x4352_4C4E_4A52_4E31
    private static let headerBytes = 32
    private static let prefixBytes = 24
    /// Of a block, before its changes.
    private static let blockHeadBytes = 16
    /// The name of the file in the directory of the registry.
    static let name = "journal"

    /// Opens the journal of a registry in its directory. It is made with its first record; that of another registry is not looked at,
    /// and overwritten then.
    ///
    /// - Parameters:
    ///   - stored: the number of the last record whose changes the database holds.
    ///   - isReadOnly: nothing will be appended.
    init(directory: String, epoch: UUIDBytes, stored: UInt64, isReadOnly: Bool = false) throws(RegistryError) {
        (self.directory, self.epoch, last) = (directory, epoch, stored)
        path = directory + "/" + Self.name
        let opened = open(path, (isReadOnly ? O_RDONLY : O_RDWR) | O_CLOEXEC)
        guard opened >= 0 else {
            if errno == ENOENT { return }
            throw Self.failure("opened", path)
        }
        descriptor = opened
        if let secret = try secret(of: epoch) {
            self.secret = secret
        } else {
            descriptor = nil
            close(opened)
        }
    }

    deinit { if let descriptor { close(descriptor) } }

    /// That of the file; nil if it is the journal of another registry, or none.
    private func secret(of epoch: UUIDBytes) throws(RegistryError) -> UInt64? {
        let header = try read(Self.headerBytes, at: 0)
        guard header.count == Self.headerBytes else { return nil }
        let secret = Self.number(header, 24, UInt64.self)
        return header == Self.header(epoch, secret) ? secret : nil
    }

    private static func header(_ epoch: UUIDBytes, _ secret: UInt64) -> [UInt8] {
        ByteWriter.bytes(capacity: headerBytes) { writer in
            writer.append(magic)
            writer.append(epoch)
            writer.append(secret)
        }
    }

    /// The file; if there is none of this registry, an empty one.
    private func file() throws(RegistryError) -> CInt {
        if let descriptor { return descriptor }
        let made = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard made >= 0 else { throw Self.failure("made", path) }
        descriptor = made
        secret = .random(in: 0 ... .max)
        // What it may have held is cut off before it bears the name of this registry.
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

    /// The number of the record written last, or of the last that the database holds.
    var lastRecord: UInt64 { last }

    /// Writes a record and waits until it is on the disk.
    ///
    /// - Parameter frames: of its changes, as ``JournaledChange`` writes them.
    func append(_ frames: [UInt8]) throws(RegistryError) {
        let (number, overflows) = last.addingReportingOverflow(1)
        guard !overflows, let count = UInt32(exactly: frames.count + Self.blockHeadBytes) else {
            throw .storageFailed("a record too long for \(path)")
        }
        let file = try file()
        let block = ByteWriter.bytes(capacity: Int(count)) { writer in
            writer.append(secret)
            writer.append(number)
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
        last = number
    }

    /// The database holds everything that was written here: the next record goes to the front.
    func checkpointed() {
        end = Self.headerBytes
    }

    // MARK: Reading

    /// Calls `body` with the changes of each record that the database does not hold, in order; the next record goes behind them.
    ///
    /// - Parameter stored: the number of the last record that it holds.
    /// - Throws: `.corrupted` if records are missing between those that the database holds and those that are here, or if one that is
    ///   whole makes no sense; what `body` throws.
    func replay(after stored: UInt64, _ body: ([Change]) throws -> Void) throws {
        (end, last) = (Self.headerBytes, stored)
        var offset = Self.headerBytes
        var isFirst = true
        while let record = try record(at: offset) {
            offset = record.end
            if record.number > last {
                guard record.number == last + 1 else {
                    if isFirst { throw RegistryError.corrupted("journal: it does not follow on what is stored") }
                    return
                }
                try body(try JournaledChange.changes(in: record.frames))
                (end, last) = (record.end, record.number)
            } else if last > stored {
                // Of an earlier round through the file.
                return
            }
            isFirst = false
        }
    }

    /// Whether it holds changes that the database does not.
    func isAhead(of stored: UInt64) throws -> Bool {
        var records = 0
        try replay(after: stored) { _ in records += 1 }
        return records > 0
    }

    private struct Record {
        let number: UInt64
        let frames: ArraySlice<UInt8>
        /// Where the next one begins.
        let end: Int
    }

    /// The record at a place; nil if there is no whole one.
    private func record(at offset: Int) throws(RegistryError) -> Record? {
        guard let descriptor else { return nil }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.failure("read", path) }
        let left = Int(status.st_size) - offset
        guard left >= Self.prefixBytes + Self.blockHeadBytes else { return nil }
        let prefix = try read(Self.prefixBytes, at: offset)
        let (count, zero) = (Int(Self.number(prefix, 0, UInt32.self)), Self.number(prefix, 4, UInt32.self))
        // Before memory is taken for it.
        guard zero == 0, count >= Self.blockHeadBytes, count <= left - Self.prefixBytes else { return nil }
        let block = try read(count, at: offset + Self.prefixBytes)
        guard block.count == count, Self.number(block, 0, UInt64.self) == secret,
            MurmurHash3(hashing: block)
                == MurmurHash3(high: Self.number(prefix, 8, UInt64.self), low: Self.number(prefix, 16, UInt64.self))
        else { return nil }
        return Record(
            number: Self.number(block, 8, UInt64.self), frames: block[Self.blockHeadBytes...],
            end: offset + Self.prefixBytes + count)
    }

    private static func number<N: FixedWidthInteger & BitwiseCopyable>(
        _ bytes: [UInt8], _ offset: Int, _ type: N.Type
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
