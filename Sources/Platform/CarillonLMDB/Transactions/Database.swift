import CCarillonLMDB

/// One named table of an LMDB environment: byte keys in `memcmp` order, one value each.
///
/// A handle is good for the life of the ``LMDBEnvironment`` that opened it, in every transaction begun after the
/// opening, and in no other LMDB environment.
@usableFromInline
package struct Database: Sendable, Hashable {
    @usableFromInline let id: CUnsignedInt

    /// The number of bytes that a key may have (lmdb.h, `mdb_env_get_maxkeysize`).
    package static let keyBytes = 1...511
}
