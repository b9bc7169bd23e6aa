import CarillonCommandLine

/// A value that is `null` in JSON if it is nil, so that its name is always there.
@propertyWrapper
struct NullIfNil<Value: Encodable & Sendable>: Encodable, Sendable {
    var wrappedValue: Value?

    init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }
}
