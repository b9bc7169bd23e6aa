import CarillonCore

/// A hash of an address, for tables in memory that only guess.
///
/// Tokens are random, but anybody may register any: who makes hashes meet makes the server slower, and no more.
enum AddressHash {
    /// Of an address of an app.
    @inline(__always)
    static func of(_ address: DeviceAddress, _ app: AppNumber) -> UInt64 {
        address.token.bytes.withUnsafeBytes { token in
            of(app, environment: address.environment.rawValue, kind: address.kind.rawValue, token: token)
        }
    }

    /// Of an address by its parts.
    @inline(__always)
    static func of(_ app: AppNumber, environment: UInt8, kind: UInt8, token: UnsafeRawBufferPointer) -> UInt64 {
        var hash = UInt64(app) << 16 | UInt64(environment) << 8 | UInt64(kind)
        var offset = 0
        while offset + 8 <= token.count {
            hash = mix(hash, token.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
        }
        while offset < token.count {
            hash = mix(hash, UInt64(token[offset]))
            offset += 1
        }
        return hash
    }

    /// Both halves of a product: each bit depends on all.
    @inline(__always)
    static func mix(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        let product = (hash ^ word ^ 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
        return product.high ^ product.low
    }
}

/// What tables in memory know an address by: hashes that are computed once for all of them.
struct AddressMark {
    /// As ``AddressHash`` has it; anybody may choose addresses of which they are equal.
    let hash: UInt64
    /// SipHash with a key that this process alone knows, so that nobody can.
    let seal: UInt64

    /// Of an address of an app.
    @inline(__always)
    init(_ address: DeviceAddress, _ app: AppNumber) {
        self = address.token.bytes.withUnsafeBytes { token in
            AddressMark(app, environment: address.environment.rawValue, kind: address.kind.rawValue, token: token)
        }
    }

    /// Of an address by its parts.
    @inline(__always)
    init(_ app: AppNumber, environment: UInt8, kind: UInt8, token: UnsafeRawBufferPointer) {
        hash = AddressHash.of(app, environment: environment, kind: kind, token: token)
        var hasher = Hasher()
        hasher.combine(UInt64(app) << 16 | UInt64(environment) << 8 | UInt64(kind))
        hasher.combine(bytes: token)
        seal = UInt64(truncatingIfNeeded: hasher.finalize())
    }
}
