import CarillonCore
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
    /// under others no longer counts.
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
