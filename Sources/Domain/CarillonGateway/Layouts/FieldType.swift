/// The type of a field (Protocol 4.1), with the meaning of its values in JSON.
indirect enum FieldType: Hashable, Sendable {
    /// A number of `bytes` bytes: 1, 2, 4 or 8.
    case number(bytes: Int, NumberForm)
    case text
    case uuid
    case token
    case device
    case bytes(BytesForm)
    case list(FieldType)
    case structure([PayloadLayout.Field])
}
