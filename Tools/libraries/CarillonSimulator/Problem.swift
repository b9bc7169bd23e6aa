package import Foundation

/// Throws for an unknown key. If it were ignored, a typing error in a selector would apply the rule to every push.
package func checkKeys(of json: Data, _ known: Set<String>) throws {
    let object = try JSONSerialization.jsonObject(with: json) as? [String: Any] ?? [:]
    if let unknown = object.keys.sorted().first(where: { !known.contains($0) }) {
        throw Problem(text: "the key \(unknown) is unknown here; known keys: \(known.sorted().joined(separator: ", "))")
    }
}

/// An error in a file or a command, as text for the user.
package struct Problem: Error, CustomStringConvertible {
    /// The error as a sentence without a full stop, which begins with a small letter or a name.
    package var text: String

    package init(text: String) { self.text = text }

    package var description: String { text }
}

/// Returns `text` as a JSON string.
package func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\"": result += "\\\""
        case "\\": result += "\\\\"
        case "\u{20}"...: result.unicodeScalars.append(scalar)
        default:
            let value = UInt8(truncatingIfNeeded: scalar.value)
            result += "\\u00" + String(value >> 4, radix: 16) + String(value & 15, radix: 16)
        }
    }
    return result + "\""
}
