import CarillonCore
import Synchronization

/// Who may connect now; a reload may change it, for connections that are open as well.
final class KnownClients: Sendable {
    private let keys: Mutex<KeyRing>

    init(_ keys: KeyRing) {
        self.keys = Mutex(keys)
    }

    /// Whose credential it is, or nothing.
    func principal(for credential: Credential) -> Principal? {
        let keys = keys.withLock { $0 }
        return keys.principal(for: credential)
    }

    /// Knows those from now on.
    func change(to keys: KeyRing) { self.keys.withLock { $0 = keys } }
}
