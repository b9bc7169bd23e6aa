package import Foundation

/// Checks the keys of an object. If an unknown key were ignored, a typing error in a selector would apply the rule to
/// every push.
///
/// - Throws: a ``SimulatorError`` that names the unknown key.
package func checkKeys(of json: Data, known: Set<String>) throws {
    let object = try JSONSerialization.jsonObject(with: json) as? [String: Any] ?? [:]
    if let unknown = object.keys.sorted().first(where: { !known.contains($0) }) {
        throw SimulatorError(
            text: "the key \(unknown) is unknown here; known keys: \(known.sorted().joined(separator: ", "))")
    }
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
