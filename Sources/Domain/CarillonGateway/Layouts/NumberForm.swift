/// The meaning of a number in JSON.
enum NumberForm: Hashable, Sendable {
    /// The number itself.
    case number
    /// The place of a page: a string of digits, because a client does not calculate with it.
    case cursor
    /// A flag, true or false.
    case boolean
    /// A word of this enumeration; null for 0, if 0 has no word.
    case word(of: Enumeration)
    /// A list of words; the number is their sum.
    case flags(of: Enumeration)
    /// The name of a request.
    case request
}
