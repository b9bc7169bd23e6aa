import CCarillonLMDB

/// Asks the processor for cache lines that will be read soon.
///
/// It reads nothing: an address that is wrong by now, or was never one, costs a little time and can do no harm.
package enum Prefetch {
    /// Asks for the line of an address.
    package static func line(_ address: UInt) {
        carillon_prefetch(UnsafeRawPointer(bitPattern: address))
    }

    /// Asks for what is read first of a page of LMDB: its head, and the list of its keys.
    package static func page(_ address: UInt) {
        line(address)
        line(address &+ 64)
    }
}
