import CCarillonNghttp2

/// Header fields laid out once in memory that does not move, so that HTTP/2 frames can refer to them.
// Safety: all memory is written in init and only read until deinit.
final class HeaderList: @unchecked Sendable {
    let fields: UnsafeBufferPointer<nghttp2_nv>
    private let bytes: UnsafeMutablePointer<UInt8>

    /// The most fields, pseudo-headers included.
    static let maximumFields = 31

    /// Lays out the pseudo-headers and then `fields`, whose names are checked too.
    init(pseudo: [HeaderField], fields others: [HeaderField]) throws(HTTP2Error) {
        guard pseudo.count + others.count <= HeaderList.maximumFields else { throw .tooManyHeaders(others.count) }
        for field in others where !field.isValid { throw .invalidHeader(field.name) }
        for field in pseudo where !field.hasValidValue { throw .invalidHeader(field.name) }

        let all = pseudo + others
        bytes = .allocate(capacity: all.reduce(0) { $0 + $1.name.utf8.count + $1.value.count })
        let list = UnsafeMutableBufferPointer<nghttp2_nv>.allocate(capacity: all.count)
        var end = bytes
        for (index, field) in all.enumerated() {
            let name = end
            for byte in Array(field.name.utf8) + field.value {
                end.initialize(to: byte)
                end += 1
            }
            let value = name + field.name.utf8.count
            list.initializeElement(
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
        fields = UnsafeBufferPointer(list)
    }

    deinit {
        fields.deallocate()
        bytes.deallocate()
    }

    /// The largest number of bytes that the fields can take in a block.
    var maximumBlockBytes: Int { fields.reduce(0) { $0 + $1.namelen + $1.valuelen + 12 } }

    /// Returns the fields as a header block for an empty table.
    func encoded() throws(HTTP2Error) -> [UInt8] {
        guard !fields.isEmpty else { return [] }
        var deflater: OpaquePointer?
        let code = nghttp2_hd_deflate_new(&deflater, Int(NGHTTP2_DEFAULT_HEADER_TABLE_SIZE))
        guard code == 0, let deflater else { throw HTTP2Error(code: code) }
        defer { nghttp2_hd_deflate_del(deflater) }
        var failure: HTTP2Error?
        let block = [UInt8](unsafeUninitializedCapacity: maximumBlockBytes) { room, count in
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

/// Returns the flags of a field whose name and value outlive the frame.
private func headerFlags(_ indexing: Indexing) -> UInt8 {
    let kept = NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue | NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue
    return UInt8(truncatingIfNeeded: indexing == .never ? kept | NGHTTP2_NV_FLAG_NO_INDEX.rawValue : kept)
}

/// Tells header compression whether to insert a field into its table (RFC 7541, section 6.2).
package enum Indexing: Sendable {
    /// The field is inserted into the dynamic table: for values that many requests share.
    case incremental
    /// The field is never inserted: for values that differ from request to request, and for secrets.
    case never
}
