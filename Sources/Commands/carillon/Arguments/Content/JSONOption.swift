import ArgumentParser
import CarillonCore

/// The value of an option that is JSON.
enum JSONOption {
    /// Returns the members of an object.
    static func object(_ text: String, of option: String) throws -> [String: JSONValue] {
        let bytes = Array(text.utf8)
        do throws(JSONError) {
            return try JSONObjectParser.parse(bytes)
        } catch {
            throw ValidationError("\(option) \(error.sentence(in: bytes)).")
        }
    }
}
