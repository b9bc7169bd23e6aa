/// The number of an entry in the log: 1, 2, 3 and so on without a gap. 0 stands before the first.
///
/// The `ClusterPosition` that a client gets is such a number with the name of its cluster.
package struct LogPosition: Hashable, Comparable, Sendable, CustomStringConvertible, ExpressibleByIntegerLiteral {
    package let number: UInt64

    /// The greatest position: log databases store it as a signed number of 64 bits.
    package static let last = LogPosition(UInt64(Int64.max))

    package init(_ number: UInt64) { self.number = number }

    package init(integerLiteral number: UInt64) { self.number = number }

    package var description: String { "\(number)" }

    /// The position of the next entry; nil after ``last``.
    package var next: LogPosition? { self < .last ? LogPosition(number + 1) : nil }

    /// Returns the number of positions from `earlier` to this one; 0 if `earlier` is later.
    package func distance(from earlier: LogPosition) -> UInt64 { number > earlier.number ? number - earlier.number : 0 }

    package static func < (left: LogPosition, right: LogPosition) -> Bool { left.number < right.number }
}
