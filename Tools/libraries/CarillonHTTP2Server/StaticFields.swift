/// The static table (RFC 7541, appendix A).
// Safety: all memory is written in init, which runs once, and never changed or freed after.
struct StaticFields: @unchecked Sendable {
    static let all = StaticFields()
    static let count = 61

    let fields: UnsafePointer<CheckedField>

    private static let list: [(name: StaticString, value: StaticString)] = [
        (":authority", ""), (":method", "GET"), (":method", "POST"), (":path", "/"), (":path", "/index.html"),
        (":scheme", "http"), (":scheme", "https"), (":status", "200"), (":status", "204"), (":status", "206"),
        (":status", "304"), (":status", "400"), (":status", "404"), (":status", "500"), ("accept-charset", ""),
        ("accept-encoding", "gzip, deflate"), ("accept-language", ""), ("accept-ranges", ""), ("accept", ""),
        ("access-control-allow-origin", ""), ("age", ""), ("allow", ""), ("authorization", ""), ("cache-control", ""),
        ("content-disposition", ""), ("content-encoding", ""), ("content-language", ""), ("content-length", ""),
        ("content-location", ""), ("content-range", ""), ("content-type", ""), ("cookie", ""), ("date", ""),
        ("etag", ""), ("expect", ""), ("expires", ""), ("from", ""), ("host", ""), ("if-match", ""),
        ("if-modified-since", ""), ("if-none-match", ""), ("if-range", ""), ("if-unmodified-since", ""),
        ("last-modified", ""), ("link", ""), ("location", ""), ("max-forwards", ""), ("proxy-authenticate", ""),
        ("proxy-authorization", ""), ("range", ""), ("referer", ""), ("refresh", ""), ("retry-after", ""),
        ("server", ""), ("set-cookie", ""), ("strict-transport-security", ""), ("transfer-encoding", ""),
        ("user-agent", ""), ("vary", ""), ("via", ""), ("www-authenticate", ""),
    ]

    private init() {
        let fields = UnsafeMutableBufferPointer<CheckedField>.allocate(capacity: Self.count)
        for (index, (name, value)) in Self.list.enumerated() {
            let (nameLength, valueLength) = (name.utf8CodeUnitCount, value.utf8CodeUnitCount)
            let text = UnsafeMutableRawBufferPointer.allocate(byteCount: nameLength + valueLength, alignment: 1)
            text.copyMemory(from: UnsafeRawBufferPointer(start: name.utf8Start, count: nameLength))
            UnsafeMutableRawBufferPointer(rebasing: text[nameLength...])
                .copyMemory(from: UnsafeRawBufferPointer(start: value.utf8Start, count: valueLength))
            let kind = FieldKind(name: UnsafeRawBufferPointer(rebasing: text[..<nameLength]))
            fields.initializeElement(
                at: index,
                to: CheckedField(
                    text: UnsafeRawPointer(text.baseAddress.unsafelyUnwrapped), nameLength: nameLength,
                    valueLength: valueLength, kind: kind,
                    isAllowed: kind.allows(UnsafeRawBufferPointer(rebasing: text[nameLength...]))))
        }
        self.fields = UnsafePointer(fields.baseAddress.unsafelyUnwrapped)
    }
}
