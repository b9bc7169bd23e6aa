/// A name in a client certificate, with its kind.
///
/// The kinds are apart because an authority may be allowed to sign only some names of one kind (the name constraints of
/// RFC 5280): such a constraint says nothing about names of the other kind.
enum CertificateName: Hashable, Sendable {
    /// A subject alternative name of kind DNS.
    case dns(String)
    /// A subject alternative name of kind URI.
    case uri(String)

    /// The name that an entry of `certificateNames` stands for: a URI if it has `://`, else a DNS name; nil if it can
    /// be neither.
    init?(entry: String) {
        if entry.contains("://") {
            self = .uri(entry)
        } else if !entry.isEmpty, !entry.contains(":"), !entry.contains("/") {
            self = .dns(entry)
        } else {
            return nil
        }
    }
}
