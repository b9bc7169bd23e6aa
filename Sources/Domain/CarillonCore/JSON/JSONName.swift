/// A name of a member, compared by its bytes: Swift treats two spellings of one character as equal, JSON does not
/// (RFC 8259 section 8.3).
struct JSONName: Hashable {
    private let text: String

    init(_ text: String) { self.text = text }

    static func == (one: JSONName, other: JSONName) -> Bool { one.text.utf8.elementsEqual(other.text.utf8) }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
