import CarillonCore
import Synchronization

/// Finds the principal of a client's identity. A reload replaces the principals, for open connections as well.
final class Authenticator: Sendable {
    private let principals: Mutex<PrincipalsFile>
    private let trusted: Mutex<[UInt8]>

    /// - Parameter authorities: the hash of the authorities of client certificates; empty if there are none.
    init(_ principals: PrincipalsFile, authorities: [UInt8] = []) {
        self.principals = Mutex(principals)
        trusted = Mutex(authorities)
    }

    /// The hash of the authorities that are trusted now; empty if there are none. A certificate that was verified under
    /// others is not good any more.
    var authorities: [UInt8] { trusted.withLock { $0 } }

    /// The principal of an identity; nil if there is none.
    func principal(for identity: ClientIdentity) -> Principal? {
        let principals = principals.withLock { $0 }
        return principals.principal(for: identity)
    }

    /// Replaces the principals.
    func change(to principals: PrincipalsFile) { self.principals.withLock { $0 = principals } }

    /// Replaces the authorities; returns true if they have changed.
    func trust(_ authorities: [UInt8]) -> Bool {
        trusted.withLock { trusted in
            defer { trusted = authorities }
            return trusted != authorities
        }
    }
}
