package import Foundation

/// An error in a file or a command, as text for the user.
package struct SimulatorError: Error, CustomStringConvertible {
    /// The error as a sentence without a full stop, which begins with a small letter or a name.
    package var text: String

    package init(text: String) { self.text = text }

    package var description: String { text }
}

/// The keys that a line of JSON may have.
package struct KnownKeys {
    private let names: Set<String>

    package init(_ names: Set<String>) { self.names = names }

    /// Checks the keys of an object. If an unknown key were ignored, a typing error in a selector would apply the rule
    /// to every push.
    ///
    /// - Throws: a ``SimulatorError`` that names the unknown key.
    package func check(_ json: Data) throws {
        let object = try JSONSerialization.jsonObject(with: json) as? [String: Any] ?? [:]
        guard let unknown = object.keys.sorted().first(where: { !names.contains($0) }) else { return }
        throw SimulatorError(
            text: "the key \(unknown) is unknown here; known keys: \(names.sorted().joined(separator: ", "))")
    }
}
