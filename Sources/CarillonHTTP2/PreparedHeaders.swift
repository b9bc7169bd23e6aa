internal import CCarillonNghttp2

/// How a header field is to be treated by header compression (RFC 7541, section 6.2).
package enum Indexing: Sendable {
    /// Entered into the dynamic table: right for values that many requests share.
    case incremental
    /// Never entered: right for values that differ from request to request, and for secrets.
    case never
}

/// One header field of a prepared request or a response.
package struct HeaderField: Sendable {
    /// The name, in lower case.
    package var name: String
    /// The value's bytes.
    package var value: [UInt8]
    /// How header compression treats the field.
    package var indexing: Indexing

    /// Makes a field from text.
    package init(_ name: String, _ value: String, indexing: Indexing = .incremental) {
        self.name = name
        self.value = Array(value.utf8)
        self.indexing = indexing
    }
}

/// Header fields laid out once in memory that does not move, so that HTTP/2 frames need only point to them.
// Safety: all memory is written in init and only read until deinit.
final class HeaderTable: @unchecked Sendable {
    let fields: UnsafeBufferPointer<nghttp2_nv>
    private let bytes: UnsafeMutablePointer<UInt8>

    /// How many fields a table may have, with one place kept for an id that is added per stream.
    static let capacity = 32

    /// Lays out `pseudo`, which are ours, and then `fields`, which are checked.
    init(pseudo: [HeaderField], fields others: [HeaderField]) throws(HTTP2Error) {
        guard pseudo.count + others.count < HeaderTable.capacity else { throw .requestTooLong(others.count) }
        for field in others where !field.isValid { throw .invalidHeader(field.name) }
        for field in pseudo where !field.hasValidValue { throw .invalidHeader(field.name) }

        let all = pseudo + others
        bytes = .allocate(capacity: all.reduce(0) { $0 + $1.name.utf8.count + $1.value.count })
        let table = UnsafeMutableBufferPointer<nghttp2_nv>.allocate(capacity: all.count)
        var end = bytes
        for (index, field) in all.enumerated() {
            let name = end
            for byte in Array(field.name.utf8) + field.value {
                end.initialize(to: byte)
                end += 1
            }
            let value = name + field.name.utf8.count
            table.initializeElement(
                at: index,
                to: nghttp2_nv(
                    name: name,
                    value: value,
                    namelen: value - name,
                    valuelen: end - value,
                    flags: headerFlags(field.indexing)
                )
            )
        }
        fields = UnsafeBufferPointer(table)
    }

    deinit {
        fields.deallocate()
        bytes.deallocate()
    }

    /// The most bytes that the fields can take in a block.
    var longestBlock: Int { fields.reduce(0) { $0 + $1.namelen + $1.valuelen + 12 } }

    /// The fields as a block for a table that is empty.
    func encoded() throws(HTTP2Error) -> [UInt8] {
        guard !fields.isEmpty else { return [] }
        var deflater: OpaquePointer?
        let code = nghttp2_hd_deflate_new(&deflater, Int(NGHTTP2_DEFAULT_HEADER_TABLE_SIZE))
        guard code == 0, let deflater else { throw HTTP2Error(code: code) }
        defer { nghttp2_hd_deflate_del(deflater) }
        var failure: HTTP2Error?
        let block = [UInt8](unsafeUninitializedCapacity: longestBlock) { room, count in
            do throws(HTTP2Error) {
                count = try fields[...].encoded(by: deflater, into: UnsafeMutableRawBufferPointer(room))
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return block
    }
}

extension HeaderField {
    fileprivate var hasValidValue: Bool { nghttp2_check_header_value(value, value.count) != 0 }

    fileprivate var isValid: Bool {
        let name = Array(name.utf8)
        // nghttp2's check lets pseudo headers pass, and capitals are refused only by the peer.
        let isPlain = !name.contains { $0 == UInt8(ascii: ":") || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        return isPlain && nghttp2_check_header_name(name, name.count) != 0 && hasValidValue
    }
}

/// The request headers that all deliveries of one message share.
///
/// A session keeps the object until each stream is closed. It may be shared by sessions on different threads.
package final class PreparedHeaders: Sendable {
    /// `:method`, `:scheme`, `:authority`, and then the fields that are entered into the table.
    let table: HeaderTable
    /// The fields that are never entered, encoded: no session's table has a part in it.
    let secrets: [UInt8]

    static let pseudoCount = 3

    /// Lays out `:method`, `:scheme`, `:authority`, and then `fields` (at most 28), those that are never indexed last.
    ///
    /// Throws `invalidHeader` for names and values that HTTP forbids, `requestTooLong` if they do not fit into one frame.
    package init(authority: String, method: String = "POST", fields: [HeaderField]) throws(HTTP2Error) {
        table = try HeaderTable(
            pseudo: [
                HeaderField(":method", method), HeaderField(":scheme", "https"), HeaderField(":authority", authority),
            ],
            fields: fields.filter { $0.indexing == .incremental }
        )
        secrets = try HeaderTable(pseudo: [], fields: fields.filter { $0.indexing == .never }).encoded()
        let length = table.longestBlock + secrets.count + ClientStream.textCapacity + RequestText.overhead
        // A new size of the table, which may stand before, in both of its numbers.
        guard length + 12 <= RequestPacker.maxBlock else { throw .requestTooLong(length) }
    }
}

/// The headers of an answer, shared by all streams that are answered alike.
///
/// They are encoded without any table, so that they are the same bytes on each connection.
package final class PreparedAnswer: Sendable {
    /// The encoded fields.
    let block: [UInt8]
    /// The status of the answer.
    package let status: UInt16

    /// The longest block, in bytes: with an id it still fits a frame that every peer takes (RFC 9113, section 4.2).
    private static let maxBlock = 16_000

    /// Encodes `:status` and then `fields`.
    ///
    /// Throws `invalidHeader` for names and values that HTTP forbids, `requestTooLong` if they do not fit into one frame.
    package init(status: UInt16, fields: [HeaderField] = []) throws(HTTP2Error) {
        for field in fields where !field.isValid { throw .invalidHeader(field.name) }
        self.status = status
        var block = Literal.status(status)
        for field in fields { block += Literal.encoded(field.name, field.value) }
        guard block.count <= Self.maxBlock else { throw .requestTooLong(block.count) }
        self.block = block
    }
}

/// The flags of a field whose name and value outlive the frame that bears them.
func headerFlags(_ indexing: Indexing) -> UInt8 {
    let kept = NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue | NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue
    return UInt8(truncatingIfNeeded: indexing == .never ? kept | NGHTTP2_NV_FLAG_NO_INDEX.rawValue : kept)
}

/// A request body that many streams send, in memory that does not move.
///
/// Kept alive by each stream that sends it, until that stream is closed.
// Safety: the memory is written in init and only read until deinit.
package final class PreparedBody: @unchecked Sendable {
    /// The bytes of the body; valid as long as the object.
    package let bytes: UnsafeRawBufferPointer

    /// Copies `source`.
    package init(_ source: some Collection<UInt8>) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: source.count, alignment: 1)
        copy.copyBytes(from: source)
        bytes = UnsafeRawBufferPointer(copy)
    }

    deinit { bytes.deallocate() }
}
