/// The fields of a request or an answer, as `Protocol/layouts.json` lists them.
struct PayloadLayout: Hashable, Sendable {
    /// The fixed part, in its order.
    var fixed: [Field] = []
    /// The tagged section, ascending by number.
    var tags: [Tag] = []

    /// A field: its name and its form on the wire and in JSON.
    struct Field: Hashable, Sendable {
        var name: String
        var type: FieldType
    }

    /// A tag and its field.
    struct Tag: Hashable, Sendable {
        var number: UInt32
        var field: Field
    }

    /// All fields, in their order on the wire.
    var fields: [Field] { fixed + tags.map(\.field) }
}

/// The type of a field (Protocol 4.1), with the meaning of its values in JSON.
indirect enum FieldType: Hashable, Sendable {
    /// A number of `bytes` bytes: 1, 2, 4 or 8.
    case number(bytes: Int, NumberForm)
    case text
    case uuid
    case token
    case device
    case bytes(BytesForm)
    case list(FieldType)
    case structure([PayloadLayout.Field])
}

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

/// The meaning of bytes in JSON.
enum BytesForm: Hashable, Sendable {
    /// Hexadecimal digits.
    case plain
    /// A JSON object.
    case payload
    /// The payload of a request of this name.
    case request(String)
    /// The payload of an answer to the request of this name.
    case answer(String)
}
