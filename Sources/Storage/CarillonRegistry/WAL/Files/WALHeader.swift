import CarillonCore

/// The first bytes of a write-ahead log.
///
/// Version 3, big-endian: `CRLNWAL3`, the epoch of the registry (16 bytes), the secret `u64`, the answered LSN `u64`,
/// and the MurmurHash3 of all these bytes (16 bytes). Version 2: the same with `CRLNJRN2`. Version 1: `CRLNJRN1`, the
/// epoch and the secret.
struct WALHeader: Equatable {
    /// The version of the format of the file.
    enum Version: Equatable {
        /// The first version: records follow on each other without a gap, and do not say which state they follow. It is
        /// only read.
        case one
        /// The second version: records begin at sector borders. The log has the records since the newest commit of the
        /// database, without a gap. It is only read.
        case two
        /// The third version: records begin at sector borders. The log has the records since the commit before the
        /// newest one, in extents anywhere in the file: ``WriteAheadLog``.
        case three

        /// The version that is written.
        static let current = three

        /// The number of the version, 1 to 3.
        var number: Int {
            switch self {
            case .one: 1
            case .two: 2
            case .three: 3
            }
        }

        /// The offset at which the first record begins.
        var firstRecordOffset: Int {
            switch self {
            case .one: 32
            case .two, .three: WALRecord.alignment
            }
        }

        var headerBytes: Int {
            switch self {
            case .one: 32
            case .two, .three: 56
            }
        }

        fileprivate var magic: UInt64 {
            switch self {
            case .one: 0x4352_4C4E_4A52_4E31
            case .two: 0x4352_4C4E_4A52_4E32
            case .three: 0x4352_4C4E_5741_4C33
            }
        }
    }

    /// The format of the records of a log: the version of the file, and the secret of its records.
    struct RecordFormat: Equatable {
        var version = Version.current
        let secret: UInt64
    }

    var version = Version.current
    /// The epoch of the registry that the log belongs to.
    let epoch: UUIDBytes
    /// The number at the start of the body of each record.
    let secret: UInt64
    /// The LSN of the last answered record, written when the file was found to lack that record; 0 before.
    var answeredLSN: UInt64 = 0

    init(version: Version = .current, epoch: UUIDBytes, secret: UInt64, answeredLSN: UInt64 = 0) {
        self.version = version
        self.epoch = epoch
        self.secret = secret
        self.answeredLSN = answeredLSN
    }

    var recordFormat: RecordFormat { RecordFormat(version: version, secret: secret) }

    /// Reads a header; nil if the bytes are no header.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 32 else { return nil }
        switch Self.number(bytes, at: 0) {
        case Version.one.magic: version = .one
        case Version.two.magic: version = .two
        case Version.three.magic: version = .three
        default: return nil
        }
        epoch = UUIDBytes(high: Self.number(bytes, at: 8), low: Self.number(bytes, at: 16))
        secret = Self.number(bytes, at: 24)
        if version != .one {
            guard bytes.count >= version.headerBytes else { return nil }
            answeredLSN = Self.number(bytes, at: 32)
            guard Array(bytes.prefix(version.headerBytes)) == self.bytes else { return nil }
        }
    }

    var bytes: [UInt8] {
        var bytes = ByteWriter.bytes(capacity: version.headerBytes) { writer in
            writer.append(version.magic)
            writer.append(epoch)
            writer.append(secret)
            if version != .one { writer.append(answeredLSN) }
        }
        guard version != .one else { return bytes }
        bytes += Murmur3State.hash(of: bytes).bytes
        return bytes
    }

    private static func number(_ bytes: [UInt8], at offset: Int) -> UInt64 {
        bytes.withUnsafeBytes { UInt64(bigEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) }
    }
}
