import CCarillonOpenSSL

/// The environments and the topics of APNs that a certificate may push to, by its extensions from Apple.
package struct PushScope: Hashable, Sendable {
    /// True if the certificate is valid for the sandbox: it has the extension 1.2.840.113635.100.6.3.1.
    package let isForSandbox: Bool
    /// True if the certificate is valid for production: it has the extension 1.2.840.113635.100.6.3.2.
    package let isForProduction: Bool
    /// The topics of the extension 1.2.840.113635.100.6.3.6, in order; empty without it.
    package let apnsTopics: [String]

    private static let maximumTopics = 64

    /// Reads a borrowed `X509`.
    init(reading certificate: OpaquePointer) {
        isForSandbox = Self.value(of: "1.2.840.113635.100.6.3.1", in: certificate) != nil
        isForProduction = Self.value(of: "1.2.840.113635.100.6.3.2", in: certificate) != nil
        apnsTopics =
            Self.value(of: "1.2.840.113635.100.6.3.6", in: certificate).map { Self.apnsTopics(in: $0[...]) } ?? []
    }

    /// Returns the DER value of an extension, by its dotted object identifier; nil if the certificate has no such
    /// extension.
    private static func value(of identifier: String, in certificate: OpaquePointer) -> [UInt8]? {
        defer { ERR_clear_error() }
        guard let object = Handle(owning: OBJ_txt2obj(identifier, 1), free: ASN1_OBJECT_free) else { return nil }
        let index = X509_get_ext_by_OBJ(certificate, object.pointer, -1)
        guard index >= 0, let found = X509_get_ext(certificate, index) else { return nil }
        let value = X509_EXTENSION_get_data(found)
        guard let data = ASN1_STRING_get0_data(value) else { return nil }
        return [UInt8](UnsafeBufferPointer(start: data, count: Int(ASN1_STRING_length(value))))
    }

    /// Returns the strings of a SEQUENCE; between them are sequences with their kinds. A malformed element ends the
    /// list.
    private static func apnsTopics(in der: ArraySlice<UInt8>) -> [String] {
        var outer = der
        guard let (tag, content) = element(&outer), tag == V_ASN1_SEQUENCE | V_ASN1_CONSTRUCTED else { return [] }
        var unread = content
        var topics: [String] = []
        while topics.count < maximumTopics, let (tag, content) = element(&unread) {
            guard tag == V_ASN1_UTF8STRING, let topic = String(validating: content, as: UTF8.self) else { continue }
            topics.append(topic)
        }
        return topics
    }

    /// Removes and returns the next element (X.690, section 8.1): tags of one byte, lengths below 65,536.
    private static func element(_ der: inout ArraySlice<UInt8>) -> (tag: Int32, content: ArraySlice<UInt8>)? {
        guard let tag = der.popFirst(), let first = der.popFirst() else { return nil }
        var length = Int(first)
        if first >= 0x80 {
            let bytes = Int(first & 0x7F)
            guard (1...2).contains(bytes), der.count >= bytes else { return nil }
            length = der.prefix(bytes).reduce(0) { $0 << 8 | Int($1) }
            der.removeFirst(bytes)
        }
        guard der.count >= length else { return nil }
        defer { der.removeFirst(length) }
        return (Int32(tag), der.prefix(length))
    }
}
