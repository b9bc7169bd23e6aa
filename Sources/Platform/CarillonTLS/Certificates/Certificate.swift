import CCarillonOpenSSL

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The properties of a certificate that Carillon uses; a plain value, read once.
package struct Certificate: Hashable, Sendable {
    /// The subject's common name; nil if it has none that can be read.
    package let commonName: String?
    /// The subject's user id, where Apple puts the bundle id of a push certificate; nil if it has none that can be
    /// read.
    package let userID: String?
    /// The subject alternative names of kind DNS.
    package let dnsNames: [String]
    /// The subject alternative names of kind URI.
    package let uriNames: [String]
    /// The pushes that Apple allows with the certificate.
    package let pushScope: PushScope
    /// The end of validity, in seconds since 1970; nil if it cannot be read.
    package let notAfterSeconds: Int64?
    /// The SHA-256 over the DER form, 32 bytes.
    package let fingerprint: [UInt8]

    /// Reads a borrowed `X509`.
    init(reading certificate: OpaquePointer) {
        let subject = X509_get_subject_name(certificate)
        commonName = Self.text(NID_commonName, in: subject)
        userID = Self.text(NID_userId, in: subject)
        (dnsNames, uriNames) = Self.alternativeNames(of: certificate)
        pushScope = PushScope(reading: certificate)
        notAfterSeconds = Self.secondsSince1970(X509_get0_notAfter(certificate))
        fingerprint = [UInt8](unsafeUninitializedCapacity: SHA256.byteCount) { digest, count in
            var size: UInt32 = 0
            let done = X509_digest(certificate, EVP_sha256(), digest.baseAddress, &size)
            count = done == 1 ? Int(size) : 0
        }
    }

    private static func text(_ nid: Int32, in name: OpaquePointer?) -> String? {
        let index = X509_NAME_get_index_by_NID(name, nid, -1)
        guard index >= 0, let entry = X509_NAME_get_entry(name, index) else { return nil }
        var utf8: UnsafeMutablePointer<UInt8>?
        let count = ASN1_STRING_to_UTF8(&utf8, X509_NAME_ENTRY_get_data(entry))
        defer { CRYPTO_free(utf8, #file, #line) }
        guard count >= 0, let utf8 else { return nil }
        return String(validating: UnsafeBufferPointer(start: utf8, count: Int(count)), as: UTF8.self)
    }

    private static func alternativeNames(of certificate: OpaquePointer) -> (dns: [String], uri: [String]) {
        guard let data = X509_get_ext_d2i(certificate, NID_subject_alt_name, nil, nil) else { return ([], []) }
        let names = OpaquePointer(data)
        defer { GENERAL_NAMES_free(names) }
        var dns: [String] = []
        var uri: [String] = []
        for index in 0..<max(carillon_sk_GENERAL_NAME_num(names), 0) {
            guard let name = carillon_sk_GENERAL_NAME_value(names, index) else { continue }
            switch name.pointee.type {
            case GEN_DNS: printable(name.pointee.d.dNSName).map { dns.append($0) }
            case GEN_URI: printable(name.pointee.d.uniformResourceIdentifier).map { uri.append($0) }
            default: break
            }
        }
        return (dns, uri)
    }

    /// Returns a name as text; nil if it has control or non-ASCII bytes, so that no two names can look alike.
    private static func printable(_ string: UnsafeMutablePointer<ASN1_IA5STRING>?) -> String? {
        guard let data = ASN1_STRING_get0_data(string) else { return nil }
        let bytes = UnsafeBufferPointer(start: data, count: Int(ASN1_STRING_length(string)))
        guard bytes.allSatisfy({ (0x21...0x7e).contains($0) }) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func secondsSince1970(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
        var fields = tm()
        guard let time, ASN1_TIME_to_tm(time, &fields) == 1 else { return nil }
        return Int64(timegm(&fields))
    }
}
