import CarillonCluster
import CarillonCore
import CarillonRegistry
import Synchronization

@testable import CarillonServer

/// The node, as far as claims ask it.
final class FakeNode: DeliveryNode {
    struct State: Sendable {
        var mayAct = true
        var membership: (member: Member, live: LiveMembers)?
        var free: [FreeMessage] = []
        /// The next looks at the outbox fail with these.
        var errors: [RegistryError] = []
    }

    let state = Mutex(State())

    var mayAct: Bool { state.withLock { $0.mayAct } }
    var membership: (member: Member, live: LiveMembers)? { state.withLock { $0.membership } }
    let runsSharedTasks = false

    func freeMessages(limit: Int) throws(RegistryError) -> [FreeMessage] {
        let result: Result<[FreeMessage], RegistryError> = state.withLock { state in
            state.errors.isEmpty ? .success(state.free) : .failure(state.errors.removeFirst())
        }
        return try result.get()
    }
}
