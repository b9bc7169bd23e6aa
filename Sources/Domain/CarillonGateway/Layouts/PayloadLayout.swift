/// The fields of a request or an answer, as `Protocol/layouts.json` lists them.
struct PayloadLayout: Hashable, Sendable {
    /// The fixed part, in its order.
    var fixed: [Field] = []
    /// The tagged section, ascending by tag.
    var tags: [TaggedField] = []

    /// A field: its name and its form on the wire and in JSON.
    struct Field: Hashable, Sendable {
        var name: String
        var type: FieldType
    }

    /// A field of the tagged section.
    struct TaggedField: Hashable, Sendable {
        var tag: UInt32
        var field: Field
    }

    /// All fields, in their order on the wire.
    var fields: [Field] { fixed + tags.map(\.field) }
}
