import CarillonCore

/// Fields that several operations write; `PayloadReader+Fields.swift` reads them.
extension FrameWriter {
    /// Appends an item of `bodies`: the language and the payload.
    mutating func body(_ body: LanguageBody) {
        string(body.language)
        blob(body.payload)
    }

    private mutating func attribute(_ key: String, value: String) {
        string(key)
        string(value)
    }

    /// Returns a tagged field of attributes to set or to remove; nil if there are none.
    static func field(_ tag: UInt32, _ changes: [AttributeChange]) -> TaggedField? {
        field(tag, list: changes) { $0.attribute($1.key.name, value: $1.value?.text ?? "") }
    }

    /// Returns a tagged field of the attributes of a device, ascending by key; nil if it has none.
    static func field(_ tag: UInt32, _ attributes: Attributes) -> TaggedField? {
        field(tag, attributes.entries.map { AttributeChange(key: $0.key, value: $0.value) })
    }

    /// Returns a tagged field of a `u8` that is 0 or 1; nil for a nil value.
    static func field(_ tag: UInt32, _ flag: Bool?) -> TaggedField? {
        flag.map { TaggedField(tag: tag, value: [$0 ? 1 : 0]) }
    }
}
