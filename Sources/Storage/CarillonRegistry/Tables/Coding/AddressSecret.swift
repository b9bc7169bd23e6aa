import CarillonCore

/// The key of the address hash, which is made with the database and stays secret.
struct AddressSecret: Sendable, Equatable {
    private let first: UInt64
    private let second: UInt64

    init(first: UInt64, second: UInt64) {
        self.first = first
        self.second = second
    }

    static func random() -> Self {
        var generator = SystemRandomNumberGenerator()
        return AddressSecret(first: generator.next(), second: generator.next())
    }

    /// Returns the digest of an address: 96 bits of the hash of its token, its environment and kind, `u8` each, and the
    /// app, `u32`.
    func digest(of address: DeviceAddress, app: AppNumber) -> AddressDigest {
        address.token.bytes.withUnsafeBytes { token in
            var hash = SipHash((first, second))
            let end = token.count & ~7
            for offset in stride(from: 0, to: end, by: 8) {
                hash.compress(UInt64(littleEndian: token.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
            }
            // Up to seven bytes of the token and six more: one word, or two.
            let parts =
                UInt64(address.environment.rawValue) | UInt64(address.kind.rawValue) << 8
                | UInt64(app.byteSwapped) << 16
            var rest: UInt128 = 0
            for offset in end..<token.count { rest |= UInt128(token[offset]) << UInt128(8 * (offset - end)) }
            rest |= UInt128(parts) << UInt128(8 * (token.count - end))
            if token.count - end + 6 >= 8 {
                hash.compress(UInt64(truncatingIfNeeded: rest))
                rest >>= 64
            }
            hash.compress(UInt64(truncatingIfNeeded: rest) | UInt64(truncatingIfNeeded: token.count + 6) << 56)
            let (head, tail) = hash.finish()
            return AddressDigest(head: head, tail: UInt32(truncatingIfNeeded: tail))
        }
    }

    /// The number of bytes of the stored key in `meta`.
    static let byteCount = 20

    /// Writes the key and its checksum.
    func append(to writer: inout ByteWriter) {
        writer.append(first)
        writer.append(second)
        writer.append(checksum)
    }

    /// Reads the secret and compares its checksum: with a changed secret every address would be lost silently.
    init(_ reader: inout ByteReader) throws {
        first = try reader.number()
        second = try reader.number()
        guard try reader.number(UInt32.self) == checksum else { throw reader.corrupted("the secret") }
    }

    /// The checksum of the key: a part of the hash of no bytes.
    private var checksum: UInt32 {
        UInt32(truncatingIfNeeded: SipHash.hash([UInt8]().span, key: (first, second)).first)
    }
}
