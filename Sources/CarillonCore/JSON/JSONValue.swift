/// A JSON value (RFC 8259) of a payload.
public enum JSONValue: Hashable, Sendable {
    /// Members by name.
    case object([String: JSONValue])
    /// Values in order.
    case array([JSONValue])
    /// A string.
    case text(String)
    /// A whole number of 64 bits; all its digits are written.
    case integer(Int64)
    /// Any other number; must be finite.
    case number(Double)
    /// `true` or `false`.
    case bool(Bool)
    /// `null`.
    case null

    /// The deepest nesting of objects and arrays, the outermost being 1 (Protocol 8.1).
    public static let maximumDepth = 32
}

extension JSONValue {
    /// The number as a double, or nil if the value is not a number.
    package var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        case .object, .array, .text, .bool, .null: nil
        }
    }

    /// The members, or nil if the value is not an object.
    package var members: [String: JSONValue]? {
        if case .object(let members) = self { members } else { nil }
    }

    /// The string, or nil if the value is not a string.
    package var string: String? {
        if case .text(let text) = self { text } else { nil }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// A string.
    public init(stringLiteral value: String) { self = .text(value) }
    /// A whole number.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// A number.
    public init(floatLiteral value: Double) { self = .number(value) }
    /// `true` or `false`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Makes an array from a literal.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// An object; of two equal names the last one wins.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}
