/// A value of the output of `--json`; members keep their order.
///
/// Not the core's `JSONValue`: that one is for payloads, whose members have no order and are sorted when written (RFC
/// 8785).
package indirect enum JSON: Equatable {
    /// `null`.
    case null
    /// True or false.
    case bool(Bool)
    /// A whole number.
    case number(UInt64)
    /// Any other number.
    case decimal(Double)
    /// A string.
    case text(String)
    /// Values in order.
    case list([JSON])
    /// Members in order.
    case object([Member])

    /// A member of an object.
    package struct Member: Equatable {
        /// Its name.
        package var name: String
        /// Its value.
        package var value: JSON

        /// Makes a member.
        package init(name: String, value: JSON) {
            self.name = name
            self.value = value
        }
    }

    /// An object; members whose value is nil are left out.
    package static func members(_ members: KeyValuePairs<String, JSON?>) -> JSON {
        .object(members.compactMap { name, value in value.map { Member(name: name, value: $0) } })
    }

    /// The value on one line.
    package var line: String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .number(let value): String(value)
        case .decimal(let value): String(value)
        case .text(let text): Self.quoted(text)
        case .list(let items): "[" + items.map(\.line).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { Self.quoted($0.name) + ":" + $0.value.line }.joined(separator: ",") + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}

extension JSON: ExpressibleByStringLiteral {
    /// A string.
    package init(stringLiteral value: String) { self = .text(value) }
}
