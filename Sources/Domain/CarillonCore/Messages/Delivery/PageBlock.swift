/// A block of consecutive pages of a message, which a member of a cluster claims at once.
package struct PageBlock: Hashable, Sendable, CustomStringConvertible {
    package let first: UInt32
    /// The number of pages, 1 or more.
    package let count: UInt32

    package init(first: UInt32, count: UInt32) { (self.first, self.count) = (first, count) }

    /// The page after the last.
    package var end: UInt64 { UInt64(first) + UInt64(count) }

    package func contains(_ page: UInt32) -> Bool { page >= first && UInt64(page) < end }

    /// The pages as a range.
    package var description: String { "\(first)..<\(end)" }
}
