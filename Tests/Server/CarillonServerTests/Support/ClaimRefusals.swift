import CarillonCore
import Synchronization

/// The errors of the next claims of pages and releases, one each. Without one, no page is left.
final class ClaimRefusals: Sendable {
    private let errors = Mutex<[RegistryError]>([])

    func add(_ error: RegistryError) { errors.withLock { $0.append(error) } }

    func next() throws(RegistryError) {
        if let error = errors.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { throw error }
    }
}
