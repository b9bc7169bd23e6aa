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

/// The request headers that all deliveries of one message share, laid out once in memory that does not move.
///
/// A session copies only the pointers; the object is kept alive by the session until each stream is closed.
/// It may be shared by sessions on different threads.
// Safety: all memory is written in init and only read until deinit.
package final class PreparedHeaders: @unchecked Sendable {
    /// The fields in order; the one at `pathIndex` has no value yet.
    let fields: UnsafeBufferPointer<nghttp2_nv>
    private let bytes: UnsafeMutablePointer<UInt8>

    static let pathIndex = 3
    static let capacity = 32

    /// Lays out `:method`, `:scheme`, `:authority`, a place for `:path`, and then `fields` (at most 26).
    ///
    /// Throws `invalidHeader` for names and values that HTTP forbids.
    package init(authority: String, method: String = "POST", fields: [HeaderField]) throws(HTTP2Error) {
        let pseudo = [
            HeaderField(":method", method), HeaderField(":scheme", "https"), HeaderField(":authority", authority),
            HeaderField(":path", "/", indexing: .never),
        ]
        try PreparedHeaders.validate(fields, authority: authority)
        let all = pseudo + fields
        let size = all.reduce(0) { $0 + $1.name.utf8.count + $1.value.count }
        bytes = .allocate(capacity: size)
        let table = UnsafeMutableBufferPointer<nghttp2_nv>.allocate(capacity: all.count)
        var end = bytes
        for (index, field) in all.enumerated() {
            let name = end
            for byte in field.name.utf8 {
                end.initialize(to: byte)
                end += 1
            }
            let value = end
            for byte in field.value {
                end.initialize(to: byte)
                end += 1
            }
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
        self.fields = UnsafeBufferPointer(table)
    }

    deinit {
        fields.deallocate()
        bytes.deallocate()
    }

    private static func validate(_ fields: [HeaderField], authority: String) throws(HTTP2Error) {
        // One place for :path's companions and one for the id that each request may add.
        guard fields.count <= capacity - 6 else { throw .requestTooLong(fields.count) }
        for field in fields + [HeaderField("host", authority)] {
            let name = Array(field.name.utf8)
            guard nghttp2_check_header_name(name, name.count) != 0, field.name.lowercased() == field.name,
                nghttp2_check_header_value(field.value, field.value.count) != 0
            else { throw .invalidHeader(field.name) }
        }
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
