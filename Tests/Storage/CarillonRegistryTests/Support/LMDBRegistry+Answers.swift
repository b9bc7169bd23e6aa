import CarillonCore
import Dispatch
import Synchronization

@testable import CarillonRegistry

/// The answers of a registry to changes and reads that a test makes in one call.
extension LMDBRegistry {
    /// Submits each change for itself, and waits for their answers.
    func applyEach(
        _ changes: [(change: Change, deadline: Uptime?)]
    ) -> [Result<ChangeAnswer, RegistryError>] {
        let found = Mutex<[Result<ChangeAnswer, RegistryError>]>([])
        let isAnswered = DispatchSemaphore(value: 0)
        submitEach(changes) { results in
            found.withLock { $0 = results }
            isAnswered.signal()
        }
        isAnswered.wait()
        return found.withLock { $0 }
    }

    /// Returns the unfinished messages of all queues, by id.
    func unfinished() throws -> [OutboundMessage] {
        try outboxQueues().flatMap { try unfinishedMessages(in: $0, after: nil, limit: .max).messages }
            .sorted { $0.id < $1.id }
    }
}
