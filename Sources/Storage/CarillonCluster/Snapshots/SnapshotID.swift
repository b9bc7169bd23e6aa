/// The name of a snapshot of a replica within its log.
package struct SnapshotID: Hashable, Sendable {
    /// The number, 1 or more.
    package let number: UInt64

    package init(_ number: UInt64) { self.number = number }
}
