import Foundation

/// The form of JSON values as fields of CSV.
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
