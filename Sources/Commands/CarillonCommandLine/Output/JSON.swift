package import CarillonCore
import Foundation

/// A value of the output of `--json`; members keep their order.
///
/// Not the core's `JSONValue`: that one is for payloads, whose members have no order and are sorted when written (RFC
/// 8785).
package indirect enum JSON: Equatable, Sendable {
    case null
    case bool(Bool)
    /// A whole number.
    case number(UInt64)
    /// Any other number.
    case decimal(Double)
    case text(String)
    case list([JSON])
    case object([Member])

    /// A member of an object.
    package struct Member: Equatable, Sendable {
        package var name: String
        package var value: JSON

        package init(name: String, value: JSON) {
            self.name = name
            self.value = value
        }
    }

    /// Makes an object; members whose value is nil are left out.
    package static func members(_ members: KeyValuePairs<String, JSON?>) -> JSON {
        .object(members.compactMap { name, value in value.map { Member(name: name, value: $0) } })
    }

    /// Makes an object with a count for every provider.
    package static func counts(_ counts: [Provider: UInt64]) -> JSON {
        .object(Provider.allCases.map { Member(name: $0.name, value: .number(counts[$0, default: 0])) })
    }

    /// The value as JSON on one line.
    package var line: String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .number(let value): String(value)
        case .decimal(let value): String(value)
        case .text(let text): JSONValue.quoted(text)
        case .list(let items): "[" + items.map(\.line).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { JSONValue.quoted($0.name) + ":" + $0.value.line }.joined(separator: ",") + "}"
        }
    }
}

extension JSON: ExpressibleByStringLiteral {
    package init(stringLiteral value: String) { self = .text(value) }
}

extension JSON {
    /// Makes a value of a JSON value of a payload or of a line, with its members in the order of their names.
    package init(_ value: JSONValue) {
        self =
            switch value {
            case .object(let members):
                .object(members.sorted { $0.key < $1.key }.map { Member(name: $0.key, value: JSON($0.value)) })
            case .array(let items): .list(items.map { JSON($0) })
            case .text(let text): .text(text)
            case .integer(let number): number < 0 ? .decimal(Double(number)) : .number(UInt64(number))
            case .number(let number): .decimal(number)
            case .bool(let value): .bool(value)
            case .null: .null
            }
    }
}

extension JSON {
    /// The value as a field of CSV (RFC 4180); the values of a list or an object are separated by semicolons.
    package var csv: String {
        switch self {
        case .text(let text): Self.quoted(text)
        case .list(let items): Self.quoted(items.map(\.plain).joined(separator: ";"))
        case .object(let members): Self.quoted(members.map { "\($0.name)=\($0.value.plain)" }.joined(separator: ";"))
        case .null: ""
        case .bool, .number, .decimal: line
        }
    }

    private var plain: String { if case .text(let text) = self { text } else { line } }

    private static func quoted(_ text: String) -> String {
        // Scalars, not characters: CR LF is one character.
        guard text.unicodeScalars.contains(where: { ",\"\r\n".unicodeScalars.contains($0) }) else { return text }
        return "\"" + text.replacingOccurrences(of: "\"", with: "\"\"") + "\""
    }
}
