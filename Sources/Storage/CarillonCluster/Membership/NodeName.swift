import CarillonCore

/// The name of a node of a cluster: 1 to 63 letters `a` to `z`, digits, `-`, `_` and `.`. The first is a
/// letter or a digit.
package struct NodeName: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let text: String

    /// Checks the rule of names; nil if the text is no name.
    package init?(_ text: String) {
        let bytes = text.utf8
        guard (1...63).contains(bytes.count), let first = bytes.first, Self.isWordByte(first),
            bytes.allSatisfy({ Self.isWordByte($0) || "-_.".utf8.contains($0) })
        else { return nil }
        self.text = text
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        byte.isLowercaseASCIILetter || byte.isASCIIDigit
    }

    package var description: String { text }

    /// Compares two names byte by byte, as every node and the log database do.
    package static func < (left: NodeName, right: NodeName) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}
