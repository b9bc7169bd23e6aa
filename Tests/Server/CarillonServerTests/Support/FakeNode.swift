import CarillonCluster
import CarillonCore
import CarillonRegistry
import Synchronization

@testable import CarillonServer

/// The node, as claims see it.
final class FakeNode: DeliveryNode {
    struct State: Sendable {
        var mayAct = true
        var membership: (member: Member, live: LiveMembers)?
        var claimable: [ClaimableMessage] = []
        /// The next looks at the outbox fail with these.
        var errors: [RegistryError] = []
    }

    let state = Mutex(State())

    var mayAct: Bool { state.withLock { $0.mayAct } }
    var membership: (member: Member, live: LiveMembers)? { state.withLock { $0.membership } }
    let runsSharedTasks = false

    func claimableMessages(limit: Int) throws(RegistryError) -> [ClaimableMessage] {
        let result: Result<[ClaimableMessage], RegistryError> = state.withLock { state in
            state.errors.isEmpty ? .success(state.claimable) : .failure(state.errors.removeFirst())
        }
        return try result.get()
    }
}

/// The errors of the next claims of pages and releases, one each. Without one, no page is left.
final class ClaimRefusals: Sendable {
    private let errors = Mutex<[RegistryError]>([])

    func add(_ error: RegistryError) { errors.withLock { $0.append(error) } }

    func next() throws(RegistryError) {
        if let error = errors.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { throw error }
    }
}
