package import Foundation

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
