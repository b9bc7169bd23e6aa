import CarillonCore

/// The optional fields of a form that a value has: a byte with a bit for each. The fields follow in the order of the
/// bits.
protocol FormFields: OptionSet where RawValue == UInt8 {
    /// All fields of the form. A byte with another bit is corrupt.
    static var all: Self { get }
}

extension FormFields {
    /// Inserts a field if the value has it.
    mutating func insert(_ field: Self, if hasField: Bool) {
        if hasField { formUnion(field) }
    }
}

extension FormWriter {
    mutating func append(_ fields: some FormFields) { append(fields.rawValue) }
}

extension ByteReader {
    /// Reads the byte that says which optional fields follow.
    mutating func fields<Fields: FormFields>(_ type: Fields.Type) throws -> Fields {
        let fields = Fields(rawValue: try number())
        guard fields.isSubset(of: .all) else { throw corrupted("an unknown flag") }
        return fields
    }
}

struct DeviceUpdateFields: FormFields {
    let rawValue: UInt8
    static let locale = Self(rawValue: 1)
    static let timeZone = Self(rawValue: 2)
    static let all = Self(rawValue: 3)
}

struct JoinFields: FormFields {
    let rawValue: UInt8
    static let leaving = Self(rawValue: 1)
    static let announcement = Self(rawValue: 2)
    static let sender = Self(rawValue: 4)
    static let all = Self(rawValue: 7)
}

struct MessageFields: FormFields {
    let rawValue: UInt8
    static let excludedDevice = Self(rawValue: 1)
    static let sendAt = Self(rawValue: 2)
    static let pace = Self(rawValue: 4)
    static let label = Self(rawValue: 8)
    static let sender = Self(rawValue: 16)
    static let traceParent = Self(rawValue: 32)
    static let all = Self(rawValue: 63)
}

struct ResendFields: FormFields {
    let rawValue: UInt8
    static let notAfter = Self(rawValue: 1)
    static let sender = Self(rawValue: 2)
    static let all = Self(rawValue: 3)
}

struct EndedRecipientFields: FormFields {
    let rawValue: UInt8
    static let deadToken = Self(rawValue: 1)
    static let movedTo = Self(rawValue: 2)
    static let registeredAt = Self(rawValue: 4)
    static let all = Self(rawValue: 7)
}

struct EventFields: FormFields {
    let rawValue: UInt8
    static let app = Self(rawValue: 1)
    static let message = Self(rawValue: 2)
    static let device = Self(rawValue: 4)
    static let outcome = Self(rawValue: 8)
    static let count = Self(rawValue: 16)
    static let text = Self(rawValue: 32)
    static let all = Self(rawValue: 63)
}
