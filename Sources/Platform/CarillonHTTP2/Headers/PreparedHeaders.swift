/// The request headers that all deliveries of one message share. Path and request id are each request's own:
/// `LiteralField.requestIDName` is the header that carries the id.
///
/// A session keeps the object until each stream is closed. It may be shared by sessions on different threads.
package final class PreparedHeaders: Sendable {
    /// The fields `:method`, `:scheme`, `:authority`, and then the other fields that are inserted into the table.
    /// `authorization` is the last of them, and has the name ``authorizationPlaceholder``.
    let list: HeaderList
    /// True if `authorization` is among the fields that are inserted.
    let insertsAuthorization: Bool
    /// The fields that are never inserted, encoded independently of any session's table.
    let secrets: [UInt8]

    static let pseudoCount = 3
    /// A name that nghttp2 gets in place of `authorization`. nghttp2 inserts no field of that name into its table
    /// (`deflate_nv` in `nghttp2_hd.c`), so it would encode the thousand bytes of a token again for each request. This
    /// name is inserted. It has the same length, so both sides count the same size of the table; ``RequestPacker``
    /// writes the real name to the connection.
    static let authorizationPlaceholder = "authorizati-n"

    /// Lays out `:method`, `:scheme`, `:authority`, and then `fields` (at most 28). Fields that are never indexed come
    /// last.
    ///
    /// Throws `invalidHeader` for names and values that HTTP forbids, `tooManyHeaders`, and `requestTooLong` if they do
    /// not fit into one frame.
    package init(authority: String, method: String = "POST", fields: [HeaderField]) throws(HTTP2Error) {
        let inserted = fields.filter { $0.indexing == .incremental }
        let authorization = inserted.filter { $0.name == "authorization" }.map { field in
            var placeholder = field
            placeholder.name = Self.authorizationPlaceholder
            return placeholder
        }
        // There is one at most: a request has one credential.
        guard authorization.count <= 1 else { throw .invalidHeader("authorization") }
        insertsAuthorization = !authorization.isEmpty
        list = try HeaderList(
            pseudo: [
                HeaderField(":method", method), HeaderField(":scheme", "https"), HeaderField(":authority", authority),
            ],
            fields: inserted.filter { $0.name != "authorization" } + authorization
        )
        secrets = try HeaderList(pseudo: [], fields: fields.filter { $0.indexing == .never }).encoded()
        let length =
            list.maximumBlockBytes + secrets.count + ClientStream.maximumRequestFieldBytes
            + RequestFields.maximumOverheadBytes
        // A block may begin with two new sizes of the table, of at most 6 bytes each.
        guard length + 12 <= RequestPacker.maximumBlockBytes else { throw .requestTooLong(length) }
    }
}
