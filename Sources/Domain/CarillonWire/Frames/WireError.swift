package import CarillonCore

/// A fault of received bytes, with its code and its position (Protocol 4.2 and 15).
package struct WireError: Error, Hashable, Sendable {
    /// The code: `.malformed`, `.unsupportedField`, `.invalidArgument`, `.tooLarge` or a code of framing.
    package var code: ErrorCode
    /// The field at fault, as the specification names it; nil if no field is at fault.
    package var field: String?
    /// A text for operators.
    package var text: String
    /// The limit that was exceeded; nil if no limit was exceeded.
    package var limit: UInt64?
    /// The index of the item at fault in its list; nil if no item is at fault.
    package var item: UInt32?
    /// The position of the fault in a condition, in bytes from 1; nil if the fault is not in a condition.
    package var column: UInt32?

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
