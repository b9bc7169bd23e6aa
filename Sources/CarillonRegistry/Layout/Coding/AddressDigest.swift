import CarillonCore

/// The digest of an address of an app, in `addresses` and in memory: 96 bits of a keyed hash. The key belongs to this
/// database alone, so a client cannot choose two addresses that collide.
///
/// Among 1,000,000,000 addresses any two collide with a probability of 10⁻¹¹.
struct AddressDigest: Hashable, Comparable, BitwiseCopyable, Sendable {
    /// The first half of the hash.
    let head: UInt64
    /// The lower half of the second.
    let tail: UInt32

    /// The order of keys.
    @inline(__always)
    static func < (a: Self, b: Self) -> Bool { a.head != b.head ? a.head < b.head : a.tail < b.tail }
}

/// The key of the address hash. It is made with the database and stays secret.
struct AddressSecret: Sendable, Equatable {
    private let first: UInt64
    private let second: UInt64

    init(first: UInt64, second: UInt64) {
        (self.first, self.second) = (first, second)
    }

    /// A new one, of the system's randomness.
    static func random() -> Self {
        var generator = SystemRandomNumberGenerator()
        return AddressSecret(first: generator.next(), second: generator.next())
    }

    /// The digest of an address: the beginning of the hash of its token, then environment and kind, `u8` each, then
    /// the app, `u32`.
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

    /// Bytes of its form in `meta`.
    static let byteCount = 20

    /// Writes it.
    func append(to writer: inout ByteWriter) {
        writer.append(first)
        writer.append(second)
        writer.append(check)
    }

    /// Reads it with its check: a changed secret would lose every address silently.
    init(_ reader: inout ByteReader) throws {
        (first, second) = (try reader.number(), try reader.number())
        guard try reader.number(UInt32.self) == check else { throw reader.corrupted("the secret") }
    }

    /// A part of the hash of no bytes.
    private var check: UInt32 { UInt32(truncatingIfNeeded: SipHash.hash([UInt8]().span, key: (first, second)).0) }
}

/// A whole address of an app in a key: app `u32`, environment `u8`, kind `u8`, token.
enum AppAddress {
    /// Bytes of the longest address.
    static let maximumBytes = 6 + DeviceToken.maximumBytes

    /// Writes it.
    @inline(__always)
    static func append(_ app: AppNumber, _ address: DeviceAddress, to writer: inout ByteWriter) {
        writer.append(app)
        writer.append(address.environment.rawValue)
        writer.append(address.kind.rawValue)
        writer.append(contentsOf: address.token.bytes)
    }

    /// Reads it, to the end.
    static func read(_ reader: inout ByteReader) throws -> (AppNumber, DeviceAddress) {
        let app: AppNumber = try reader.number()
        let environment: APNsEnvironment = try reader.value()
        let kind: TokenKind = try reader.value()
        return (app, DeviceAddress(environment: environment, kind: kind, token: try reader.tokenToEnd()))
    }
}
