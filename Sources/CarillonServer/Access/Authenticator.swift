import CarillonCore
import Synchronization

/// Finds the principal of a client's credential. A reload replaces the principals, for open connections as well.
final class Authenticator: Sendable {
    private let principals: Mutex<PrincipalsFile>

    init(_ principals: PrincipalsFile) {
        self.principals = Mutex(principals)
    }

    /// The principal of a credential; nil if there is none.
    func principal(for credential: Credential) -> Principal? {
        let principals = principals.withLock { $0 }
        return principals.principal(for: credential)
    }

    /// Replaces the principals.
    func change(to principals: PrincipalsFile) { self.principals.withLock { $0 = principals } }
}
