package import CarillonHTTP2

/// The headers of an answer, shared by all streams with the same answer.
///
/// They are encoded without any table, so that they are the same bytes on each connection.
package final class PreparedResponse: Sendable {
    /// The encoded fields.
    let block: [UInt8]
    package let status: UInt16

    /// The longest block, in bytes. Together with an id it still fits a frame that every peer takes (RFC 9113, section
    /// 4.2).
    private static let maximumBlockBytes = 16_000

    /// Encodes `:status` and then `fields`.
    ///
    /// Throws `invalidHeader` for names and values that HTTP forbids, and `requestTooLong` if they do not fit into one
    /// frame.
    package init(status: UInt16, fields: [HeaderField] = []) throws(HTTP2Error) {
        for field in fields where !field.isValid { throw .invalidHeader(field.name) }
        self.status = status
        var block = LiteralField.status(status)
        for field in fields { block += LiteralField.encoded(field.name, value: field.value) }
        guard block.count <= Self.maximumBlockBytes else { throw .requestTooLong(block.count) }
        self.block = block
    }
}
