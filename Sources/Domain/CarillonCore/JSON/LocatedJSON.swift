/// A JSON value with its place in the text, as ``LocatedJSONParser`` makes it. A number is kept as its digits,
/// so none loses precision. A ``JSONValue`` has neither.
package struct LocatedJSON: Hashable, Sendable {
    /// The value without its place.
    package enum Value: Hashable, Sendable {
        case null
        case bool(Bool)
        /// A number, as its digits stand in the text.
        case number(String)
        case string(String)
        case array([LocatedJSON])
        /// An object, with its members in their order; no name occurs twice.
        case object([Member])
    }

    /// A member of an object.
    package struct Member: Hashable, Sendable {
        package var name: String
        package var value: LocatedJSON

        package init(name: String, value: LocatedJSON) {
            self.name = name
            self.value = value
        }
    }

    package var value: Value
    /// The range of bytes that the value takes in the text.
    package var range: Range<Int>

    /// Makes a value. A value that was not read from a text takes no bytes of it.
    package init(_ value: Value, range: Range<Int> = 0..<0) {
        self.value = value
        self.range = range
    }

    /// The members of an object; nil for another value.
    package var members: [Member]? {
        guard case .object(let members) = value else { return nil }
        return members
    }

    /// The items of an array; nil for another value.
    package var items: [LocatedJSON]? {
        guard case .array(let items) = value else { return nil }
        return items
    }

    /// The text of a string; nil for another value.
    package var text: String? {
        guard case .string(let text) = value else { return nil }
        return text
    }

    /// The value as a whole number: digits as a number or as a string; nil for another value.
    package var wholeNumber: UInt64? {
        switch value {
        case .number(let digits), .string(let digits):
            digits.utf8.allSatisfy(\.isASCIIDigit) ? UInt64(digits) : nil
        default: nil
        }
    }

    /// Returns the value of that name; nil if this is not an object, or has no such member.
    package subscript(name: String) -> LocatedJSON? { members?.first { JSONName($0.name) == JSONName(name) }?.value }

    /// The kind of the value, for an error text.
    package var kind: String {
        switch value {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
