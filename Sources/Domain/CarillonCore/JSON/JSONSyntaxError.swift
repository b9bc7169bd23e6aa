/// The reason why a text is not JSON, with the byte at fault, from 0.
package struct JSONSyntaxError: Error, Hashable, Sendable {
    /// The fault in words.
    package var text: String
    /// The byte at fault, from 0.
    package var offset: Int
    /// The fault as a kind, with a byte of its own. Of the two bytes one is the beginning of a token, the other the
    /// place where the token breaks off.
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
