import CarillonCore
import CarillonTLS
import Synchronization

/// The principals of the clients, found by identity. A reload replaces them, for open connections as well.
final class Authenticator: Sendable {
    private let principals: Mutex<PrincipalsFile>
    private let trustedAuthoritiesHash: Mutex<[UInt8]>

    /// Makes an authenticator of these principals.
    ///
    /// - Parameter authoritiesHash: the hash of the authorities of client certificates; empty if none are trusted.
    init(_ principals: PrincipalsFile, authoritiesHash: [UInt8] = []) {
        self.principals = Mutex(principals)
        trustedAuthoritiesHash = Mutex(authoritiesHash)
    }

    /// The hash of the authorities that are trusted now; empty if none are trusted. A certificate that was verified
    /// under others does not count any more.
    var authoritiesHash: [UInt8] { trustedAuthoritiesHash.withLock { $0 } }

    /// Returns the principal of an identity; nil if no principal has it.
    func principal(for identity: ClientIdentity) -> Principal? {
        let principals = principals.withLock { $0 }
        return principals.principal(for: identity)
    }

    func apply(_ principals: PrincipalsFile) { self.principals.withLock { $0 = principals } }

    /// Replaces the authorities that are trusted; returns true if they have changed.
    func replaceAuthorities(hash: [UInt8]) -> Bool {
        trustedAuthoritiesHash.withLock { trusted in
            defer { trusted = hash }
            return trusted != hash
        }
    }
}

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
