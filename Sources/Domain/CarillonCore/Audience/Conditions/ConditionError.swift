/// The first fault of a text that is not a condition: its position, and the term that was expected there.
public struct ConditionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The position in the text, in bytes of UTF-8; the first is 1. The end of the text is one more than its length.
    public let column: Int
    /// The term that was expected there, for human readers; the wording may change.
    public let expected: String

    init(column: Int, expected: String) {
        self.column = column
        self.expected = expected
    }

    /// The position and the expectation in a sentence.
    public var description: String { "column \(column): expected \(expected)" }
}
