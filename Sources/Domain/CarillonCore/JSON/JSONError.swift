/// The reason why a payload or a file is not an acceptable JSON object, from ``JSONObjectParser``: its kind and place.
package enum JSONError: Error, Hashable, Sendable {
    /// The bytes are not JSON (RFC 8259), at that byte.
    case syntax(offset: Int)
    /// The bytes are JSON, but not an object.
    case notAnObject
    /// Two members of one object have the same name.
    case duplicateName(offset: Int)
    /// The payload is nested deeper than `JSONValue.maximumDepth`.
    case tooDeep(offset: Int)
    /// A `\u` escape is half a surrogate pair.
    case loneSurrogate(offset: Int)
    /// The bytes are not UTF-8.
    case encoding
}

extension JSONError {
    /// Returns a place in the file or argument `bytes`: "line 3, column 14". Columns are characters; the first line and
    /// column are 1.
    package static func place(of offset: Int, in bytes: [UInt8]) -> String {
        let before = bytes.prefix(offset)
        let line = before.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let column = String(decoding: line.last ?? [], as: UTF8.self).count + 1
        return "line \(max(line.count, 1)), column \(column)"
    }

    /// Returns the fault and its place, as the end of a sentence about the file or argument `bytes`: "is not JSON: line
    /// 3, column 14".
    package func sentence(in bytes: [UInt8]) -> String {
        func place(_ offset: Int) -> String { Self.place(of: offset, in: bytes) }
        return switch self {
        case .syntax(let offset): "is not JSON: \(place(offset))"
        case .notAnObject: "is not a JSON object"
        case .duplicateName(let offset): "has the same name twice in an object: \(place(offset))"
        case .tooDeep(let offset): "is nested too deep: \(place(offset))"
        case .loneSurrogate(let offset): "has half a surrogate pair: \(place(offset))"
        case .encoding: "is not UTF-8"
        }
    }
}

/// The reason why a text is not JSON, from ``LocatedJSONParser``: in words for the one who wrote it.
package struct JSONSyntaxError: Error, Hashable, Sendable {
    package var text: String
    /// The byte at fault, from 0.
    package var offset: Int
    /// The fault as a kind. Its byte may be another than `offset`: for example, `offset` is where a malformed number
    /// begins, and the byte of the kind is where it breaks off. For half a surrogate pair it is the other way round.
    var kind: JSONError

    init(_ text: String, at offset: Int, kind: JSONError? = nil) {
        self.text = text
        self.offset = offset
        self.kind = kind ?? .syntax(offset: offset)
    }

    static func duplicateName(at offset: Int) -> JSONSyntaxError {
        JSONSyntaxError("a name occurs twice in an object", at: offset, kind: .duplicateName(offset: offset))
    }

    static func nestedTooDeep(_ maximum: Int, at offset: Int) -> JSONSyntaxError {
        JSONSyntaxError("values are nested more than \(maximum) deep", at: offset, kind: .tooDeep(offset: offset))
    }
}
