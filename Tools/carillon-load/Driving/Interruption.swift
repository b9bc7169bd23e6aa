import Synchronization
import UnixSignals

/// The count of interruptions by the user: the first ends the load early, the second also ends the wait for answers.
final class Interruption: Sendable {
    private let times = Atomic(0)

    /// The number of signals.
    var count: Int { times.load(ordering: .relaxed) }
    var hasCome: Bool { count > 0 }

    /// Listens to SIGINT and SIGTERM while `body` runs.
    func watch<Answer>(_ body: () async throws -> Answer) async throws -> Answer {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        let task = Task { [self] in
            for await _ in signals { times.add(1, ordering: .relaxed) }
        }
        defer { task.cancel() }
        return try await body()
    }
}
