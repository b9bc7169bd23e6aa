import CCarillonLMDB

/// The prefetch of cache lines that will be read soon.
///
/// It reads nothing: an invalid address costs a little time and does no harm.
package enum Prefetch {
    /// Prefetches the line of an address.
    package static func line(_ address: UInt) {
        carillon_prefetch(UnsafeRawPointer(bitPattern: address))
    }

    /// Prefetches the first lines of a page of LMDB: its head and the list of its keys.
    package static func page(_ address: UInt) {
        line(address)
        line(address &+ 64)
    }
}
