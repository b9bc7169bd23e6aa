/// The encoding of JSON in the canonical form.
extension JSONValue {
    /// Returns the bytes of an object in the canonical form of `Protocol/Payloads.md`.
    ///
    /// - Throws: a fault whose field is the path of the value, with dots below `field`: a number that is not finite, or
    ///   a value that is nested too deep.
    package static func encode(_ members: [String: JSONValue], field: String) throws(MessageError) -> [UInt8] {
        try CanonicalJSONWriter.write(members, field: field)
    }

    /// Returns the text of the value: a string as it is, all else as canonical JSON. It serves values that a peer takes
    /// only as strings.
    ///
    /// - Throws: as `encode`.
    package func text(field: String) throws(MessageError) -> String {
        if case .text(let text) = self { return text }
        // The writer writes objects: the value is the only member of one.
        let bytes = try CanonicalJSONWriter.write(["": self], field: field)
        let head = #"{"":"#
        return String(decoding: bytes.dropFirst(head.utf8.count).dropLast(), as: UTF8.self)
    }
}
