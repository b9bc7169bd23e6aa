import CarillonCore

/// A record of the write-ahead log: the changes of one batch.
///
/// Its bytes are big-endian:
///
/// - the byte count of the body `u32`
/// - `u32` 0
/// - the MurmurHash3 of the body, 16 bytes
/// - the body:
///   - the secret of the file `u64`
///   - the LSN `u64`
///   - since version 2, the state of the database that the changes follow, 16 bytes
///   - since version 3, the number of the newest durable commit of the database `u64`
///   - the frames of its mutations (``ChangeRecordCodec``)
struct WALRecord {
    /// The alignment of records in bytes: since version 2 a record begins at a multiple of this number, the largest
    /// sector of usual disks. So a sector that is lost while it is written has no part of an older record.
    static let alignment = 4_096
    static let prefixBytes = 24
    /// The most bytes of a body. A batch is far smaller, and a body that is larger on the disk is no record.
    static let maximumBodyBytes = 64 << 20
    /// The number of bytes at the start of a record that contain its secret and its LSN.
    static let probeBytes = prefixBytes + 16

    let lsn: UInt64
    /// The state of the database before the changes; nil in version 1.
    let previousState: UUIDBytes?
    /// The number of the newest durable commit of the database when the record was written; nil before version 3.
    let durableCommit: UInt64?
    /// The state of the database after the changes: the hash of the body, which covers the state before.
    let state: UUIDBytes
    let frames: ArraySlice<UInt8>
    let offset: Int
    /// The offset of the next record.
    let end: Int

    /// Returns the number of bytes of the body before its changes.
    static func bodyHeadBytes(_ version: WALHeader.Version) -> Int {
        switch version {
        case .one: 16
        case .two: 32
        case .three: 40
        }
    }

    /// Returns true if one record has room for the frames.
    static func fits(_ frames: [UInt8]) -> Bool { frames.count <= maximumBodyBytes - bodyHeadBytes(.current) }

    /// The encoded form of a record, as it is written.
    struct Encoded {
        let prefix: [UInt8]
        let body: [UInt8]
        /// The state of the database after the changes.
        let state: UUIDBytes

        var byteCount: Int { prefix.count + body.count }
    }

    /// Encodes a record of the current version.
    static func encode(
        _ frames: [UInt8], lsn: UInt64, previousState: UUIDBytes, durableCommit: UInt64, secret: UInt64
    ) -> Encoded {
        precondition(fits(frames))
        let count = UInt32(frames.count + bodyHeadBytes(.current))
        let body = ByteWriter.bytes(capacity: Int(count)) { writer in
            writer.append(secret)
            writer.append(lsn)
            writer.append(previousState)
            writer.append(durableCommit)
            writer.append(contentsOf: frames)
        }
        let hash = Murmur3State.hash(of: body)
        let prefix = ByteWriter.bytes(capacity: prefixBytes) { writer in
            writer.append(count)
            writer.append(UInt32(0))
            writer.append(hash)
        }
        return Encoded(prefix: prefix, body: body, state: hash)
    }

    /// Returns the offset at or after `offset` at which a record may begin.
    static func start(from offset: Int, _ version: WALHeader.Version) -> Int {
        switch version {
        case .one: offset
        case .two, .three: (offset + alignment - 1) / alignment * alignment
        }
    }

    /// Reads a record; nil if the bytes from `offset` on are no whole record of the file.
    ///
    /// - Parameters:
    ///   - secret: the secret of the file; nil to accept any.
    ///   - count: bytes of the file.
    init?(
        at offset: Int, in file: WALFile, version: WALHeader.Version, secret: UInt64?, count: Int
    ) throws(RegistryError) {
        let headBytes = Self.bodyHeadBytes(version)
        guard offset >= 0, count - offset >= Self.prefixBytes + headBytes else { return nil }
        let prefix = try file.read(Self.prefixBytes, at: offset)
        guard prefix.count == Self.prefixBytes else { return nil }
        let size = Int(Self.number(prefix, at: 0, as: UInt32.self))
        // Checked before memory is allocated for the body.
        guard Self.number(prefix, at: 4, as: UInt32.self) == 0, size >= headBytes,
            size <= Self.maximumBodyBytes, size <= count - offset - Self.prefixBytes
        else { return nil }
        let body = try file.read(size, at: offset + Self.prefixBytes)
        guard body.count == size else { return nil }
        let found = Self.number(body, at: 0, as: UInt64.self)
        let hash = UUIDBytes(
            high: Self.number(prefix, at: 8, as: UInt64.self), low: Self.number(prefix, at: 16, as: UInt64.self))
        guard secret == nil || secret == found, Murmur3State.hash(of: body) == hash else { return nil }
        lsn = Self.number(body, at: 8, as: UInt64.self)
        previousState =
            version == .one
            ? nil
            : UUIDBytes(
                high: Self.number(body, at: 16, as: UInt64.self), low: Self.number(body, at: 24, as: UInt64.self))
        durableCommit = version == .three ? Self.number(body, at: 32, as: UInt64.self) : nil
        state = hash
        frames = body[headBytes...]
        self.offset = offset
        end = Self.start(from: offset + Self.prefixBytes + size, version)
    }

    /// Returns the secret and the LSN that a record of any length at `offset` has, even if it is not whole; nil after
    /// the end of the file.
    static func probe(at offset: Int, in file: WALFile) throws(RegistryError) -> (secret: UInt64, lsn: UInt64)? {
        let bytes = try file.read(probeBytes, at: offset)
        guard bytes.count == probeBytes else { return nil }
        return (number(bytes, at: prefixBytes, as: UInt64.self), number(bytes, at: prefixBytes + 8, as: UInt64.self))
    }

    private static func number<N: FixedWidthInteger & BitwiseCopyable>(
        _ bytes: [UInt8], at offset: Int, as type: N.Type
    ) -> N {
        bytes.withUnsafeBytes { N(bigEndian: $0.loadUnaligned(fromByteOffset: offset, as: N.self)) }
    }
}
