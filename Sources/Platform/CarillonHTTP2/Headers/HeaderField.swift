import CCarillonNghttp2

/// One header field of a prepared request or answer.
package struct HeaderField: Sendable {
    /// The name, in lower case.
    package var name: String
    package var value: [UInt8]
    package var indexing: Indexing

    package init(_ name: String, _ value: String, indexing: Indexing = .incremental) {
        self.name = name
        self.value = Array(value.utf8)
        self.indexing = indexing
    }
}

extension HeaderField {
    /// True if HTTP/2 allows the value: no control characters, no white space at its ends (RFC 9113, section 8.2.1).
    var hasValidValue: Bool { nghttp2_check_header_value_rfc9113(value, value.count) != 0 }

    /// True if HTTP allows the name and the value.
    package var isValid: Bool {
        let name = Array(name.utf8)
        // nghttp2's check accepts pseudo-headers; capitals are refused only by the peer.
        let isPlain = !name.contains { $0 == UInt8(ascii: ":") || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        return isPlain && nghttp2_check_header_name(name, name.count) != 0 && hasValidValue
    }
}
