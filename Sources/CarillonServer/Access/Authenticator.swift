import CarillonCore
import Synchronization

/// The principals of the clients, found by identity. A reload replaces them, for open connections as well.
final class Authenticator: Sendable {
    private let principals: Mutex<PrincipalsFile>
    private let trusted: Mutex<[UInt8]>

    /// Makes an authenticator of these principals.
    ///
    /// - Parameter authorities: the hash of the authorities of client certificates; empty if none are trusted.
    init(_ principals: PrincipalsFile, authorities: [UInt8] = []) {
        self.principals = Mutex(principals)
        trusted = Mutex(authorities)
    }

    /// The hash of the authorities that are trusted now; empty if none are trusted. A certificate that was verified
    /// under others does not count any more.
    var authorities: [UInt8] { trusted.withLock { $0 } }

    /// Returns the principal of an identity; nil if no principal has it.
    func principal(for identity: ClientIdentity) -> Principal? {
        let principals = principals.withLock { $0 }
        return principals.principal(for: identity)
    }

    func change(to principals: PrincipalsFile) { self.principals.withLock { $0 = principals } }

    /// Replaces the authorities; returns true if they have changed.
    func trust(_ authorities: [UInt8]) -> Bool {
        trusted.withLock { trusted in
            defer { trusted = authorities }
            return trusted != authorities
        }
    }
}
