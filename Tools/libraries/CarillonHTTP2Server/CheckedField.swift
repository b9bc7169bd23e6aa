/// A field: its name, directly followed by its value, and the result of checking both.
struct CheckedField {
    let text: UnsafeRawPointer
    let nameLength: Int
    let valueLength: Int
    let kind: FieldKind
    /// True if HTTP allows the name and the value.
    let isAllowed: Bool

    var length: Int { nameLength + valueLength }
    var name: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: text, count: nameLength) }
    var value: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: text + nameLength, count: valueLength) }
}
