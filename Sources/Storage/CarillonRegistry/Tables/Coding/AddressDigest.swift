/// The digest of an address of an app, in `addresses` and in memory: 96 bits of a keyed hash. The key belongs to this
/// database alone, so a client cannot choose two addresses that collide.
///
/// Among 1,000,000,000 addresses any two collide with a probability of 10⁻¹¹.
struct AddressDigest: Hashable, Comparable, BitwiseCopyable, Sendable {
    /// The first 64 bits of the hash.
    let head: UInt64
    /// The lower 32 bits of the second half of the hash.
    let tail: UInt32

    /// Compares digests in the order of keys.
    @inline(__always)
    static func < (a: Self, b: Self) -> Bool { a.head != b.head ? a.head < b.head : a.tail < b.tail }
}
