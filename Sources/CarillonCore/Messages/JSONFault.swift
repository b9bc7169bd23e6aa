/// The reason why a payload is not an acceptable JSON object.
package enum JSONFault: Error, Hashable, Sendable {
    /// Not JSON (RFC 8259), at that byte.
    case syntax(offset: Int)
    /// JSON, but not an object.
    case notAnObject
    /// Two members of one object have the same name.
    case duplicateName(offset: Int)
    /// Nested deeper than `JSONValue.depthLimit`.
    case tooDeep(offset: Int)
    /// A `\u` escape that is half a surrogate pair.
    case loneSurrogate(offset: Int)
    /// Not UTF-8.
    case encoding
}
