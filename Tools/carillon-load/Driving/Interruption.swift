import Synchronization
import UnixSignals

/// How often the user has wanted an end: once for an early end with its figures, twice for one without waiting.
final class Interruption: Sendable {
    private let times = Atomic(0)

    /// How often it has come.
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
