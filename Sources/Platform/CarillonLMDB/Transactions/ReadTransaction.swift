import CCarillonLMDB

/// A snapshot inside ``LMDBEnvironment/read(_:)``.
package struct ReadTransaction: Transaction, ~Copyable {
    package let handle: OpaquePointer

    @usableFromInline
    init(handle: OpaquePointer) {
        self.handle = handle
    }
}
