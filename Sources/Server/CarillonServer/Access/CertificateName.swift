/// A name in a client certificate, with its kind.
///
/// The kinds are kept apart: the name constraints of RFC 5280 may let an authority sign only some names of one kind,
/// and say nothing about names of the other kind.
enum CertificateName: Hashable, Sendable {
    /// A subject alternative name of kind DNS.
    case dns(String)
    /// A subject alternative name of kind URI.
    case uri(String)

    /// Makes the name that an entry of `certificateNames` stands for: a URI if it has `://`, else a DNS name; nil if it
    /// can be neither.
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
