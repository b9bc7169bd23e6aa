/// An enumeration of the protocol: numbers and their words.
struct Enumeration: Hashable, Sendable {
    var name: String
    /// The words, ascending by number.
    var words: [Word]

    /// A number and its word.
    struct Word: Hashable, Sendable {
        var number: UInt64
        var word: String
    }

    /// Returns the word of a number; nil if the number has none.
    func word(of number: UInt64) -> String? { words.first { $0.number == number }?.word }

    /// Returns the number of a word; nil if the enumeration has no such word.
    func number(of word: String) -> UInt64? { words.first { $0.word == word }?.number }
}
