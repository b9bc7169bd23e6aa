package import CarillonCore

/// What is wrong with bytes that came in: the code and the place (Protocol 4.2 and 9).
package struct WireFault: Error, Hashable, Sendable {
    /// `.malformed`, `.unsupportedField`, `.invalidArgument`, `.tooLarge` or a code of framing.
    package var code: ErrorCode
    /// The field at fault, as the specification names it.
    package var field: String?
    /// For people.
    package var text: String
    /// The limit that was passed.
    package var limit: UInt64?
    /// Index of the list's item.
    package var item: UInt32?
    /// Where in a condition the fault is, in bytes; the first is 1.
    package var column: UInt32?

    /// Makes a fault.
    package init(
        _ code: ErrorCode,
        field: String? = nil,
        text: String,
        limit: UInt64? = nil,
        item: UInt32? = nil,
        column: UInt32? = nil
    ) {
        self.code = code
        self.field = field
        self.text = text
        self.limit = limit
        self.item = item
        self.column = column
    }
}
