/// The meaning of bytes in JSON.
enum BytesForm: Hashable, Sendable {
    /// Hexadecimal digits.
    case plain
    /// A JSON object.
    case payload
    /// The payload of a request of this name.
    case request(String)
    /// The payload of an answer to the request of this name.
    case answer(String)
}
