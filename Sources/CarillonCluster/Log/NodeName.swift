/// The name of a node of a cluster: 1 to 63 letters `a` to `z`, digits, `-`, `_` and `.`, of which the first is a
/// letter or a digit.
package struct NodeName: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The name.
    package let text: String

    /// Makes a name; nil if the text is none.
    package init?(_ text: String) {
        let bytes = text.utf8
        guard (1...63).contains(bytes.count), let first = bytes.first, Self.isWordByte(first),
            bytes.allSatisfy({
                Self.isWordByte($0) || [UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ".")].contains($0)
            })
        else { return nil }
        self.text = text
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// The name.
    package var description: String { text }

    /// Compares byte by byte, as every node and the log database do.
    package static func < (left: NodeName, right: NodeName) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}

/// One life of a node: from joining the log until it leaves, is expired, or the node joins again.
package struct Member: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The name of the node.
    package let node: NodeName
    /// The number of this life, 1 or more. The log gives each number once, to one node, and later lives have greater
    /// numbers.
    package let incarnation: UInt64

    package init(node: NodeName, incarnation: UInt64) {
        (self.node, self.incarnation) = (node, incarnation)
    }

    /// `name/number`.
    package var description: String { "\(node)/\(incarnation)" }

    /// Orders by incarnation: the member that has been there for longer comes first.
    package static func < (left: Member, right: Member) -> Bool {
        (left.incarnation, left.node) < (right.incarnation, right.node)
    }
}

/// The number of an entry in the log: 1, 2, 3 and so on without a gap. 0 stands before the first.
package struct LogPosition: Hashable, Comparable, Sendable, CustomStringConvertible, ExpressibleByIntegerLiteral {
    package let number: UInt64

    /// The greatest position: log databases store it as a signed number of 64 bits.
    package static let last = LogPosition(UInt64(Int64.max))

    /// Makes a position; 0 is before the first entry.
    package init(_ number: UInt64) { self.number = number }

    /// Makes a position from a literal.
    package init(integerLiteral number: UInt64) { self.number = number }

    /// The number.
    package var description: String { "\(number)" }

    /// The position of the next entry; nil after ``last``.
    package var next: LogPosition? { self < .last ? LogPosition(number + 1) : nil }

    /// Positions from `earlier` to this one; 0 if `earlier` is later.
    package func distance(from earlier: LogPosition) -> UInt64 { number > earlier.number ? number - earlier.number : 0 }

    /// Compares two positions.
    package static func < (left: LogPosition, right: LogPosition) -> Bool { left.number < right.number }
}
