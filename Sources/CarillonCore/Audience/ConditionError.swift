/// Why a text is not a condition: where, and what was expected there.
public struct ConditionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The place in the text, in bytes of UTF-8, the first is 1. The end of the text is one more than its length.
    public let column: Int
    /// What should have stood there, for people; the words may change.
    public let expected: String

    init(column: Int, expected: String) {
        self.column = column
        self.expected = expected
    }

    /// Both in a sentence.
    public var description: String { "column \(column): expected \(expected)" }
}
