/// The request headers that all deliveries of one message share.
///
/// A session keeps the object until each stream is closed. It may be shared by sessions on different threads.
package final class PreparedHeaders: Sendable {
    /// `:method`, `:scheme`, `:authority`, and then the fields that are inserted into the table.
    let table: HeaderTable
    /// The fields that are never inserted, encoded independently of any session's table.
    let secrets: [UInt8]

    static let pseudoCount = 3

    /// Lays out `:method`, `:scheme`, `:authority`, and then `fields` (at most 28), those that are never indexed last.
    ///
    /// Throws `invalidHeader` for names and values that HTTP forbids, `requestTooLong` if they do not fit into one
    /// frame.
    package init(authority: String, method: String = "POST", fields: [HeaderField]) throws(HTTP2Error) {
        table = try HeaderTable(
            pseudo: [
                HeaderField(":method", method), HeaderField(":scheme", "https"), HeaderField(":authority", authority),
            ],
            fields: fields.filter { $0.indexing == .incremental }
        )
        secrets = try HeaderTable(pseudo: [], fields: fields.filter { $0.indexing == .never }).encoded()
        let length = table.longestBlock + secrets.count + ClientStream.textCapacity + RequestFields.overhead
        // A new size of the table may come first, in both of its numbers.
        guard length + 12 <= RequestPacker.maximumBlockBytes else { throw .requestTooLong(length) }
    }
}
