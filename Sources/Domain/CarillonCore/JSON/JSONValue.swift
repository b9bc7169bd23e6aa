/// A JSON value (RFC 8259), for example of a payload, as `JSONObjectParser` makes it.
public enum JSONValue: Hashable, Sendable {
    /// An object, with its members by name.
    case object([String: JSONValue])
    /// An array, with its values in order.
    case array([JSONValue])
    /// A string.
    case text(String)
    /// A whole number of 64 bits; all its digits are written.
    case integer(Int64)
    /// Any other number, which must be finite.
    case number(Double)
    /// The value `true` or `false`.
    case bool(Bool)
    /// The value `null`.
    case null

    /// The deepest nesting of objects and arrays, the outermost being 1 (Protocol 10.1).
    public static let maximumDepth = 32
}

extension JSONValue {
    /// The number as a double; nil if the value is not a number.
    package var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        case .object, .array, .text, .bool, .null: nil
        }
    }

    /// The members; nil if the value is not an object.
    package var members: [String: JSONValue]? {
        if case .object(let members) = self { members } else { nil }
    }

    /// The string; nil if the value is not a string.
    package var string: String? {
        if case .text(let text) = self { text } else { nil }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Makes a string from a literal.
    public init(stringLiteral value: String) { self = .text(value) }
    /// Makes a whole number from a literal.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// Makes a number from a literal.
    public init(floatLiteral value: Double) { self = .number(value) }
    /// Makes `true` or `false` from a literal.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Makes an array from a literal.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// Makes an object from a literal; of two equal names the last one wins.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}
