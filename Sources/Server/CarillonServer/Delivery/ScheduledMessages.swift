import CarillonCore
import Logging
import Synchronization

/// The messages that wait for their time. Only the time of the first is kept. Messages that are due are put into the
/// outbox.
final class ScheduledMessages: Sendable {
    private struct State {
        /// The time at which the first one is due; nil if none waits.
        var nextDueAt: Timestamp?
        var isReleasing = false
    }

    private let registry: any ChangeQueue
    private let logger: Logger
    private let state = Mutex(State())

    init(registry: any ChangeQueue, logger: Logger) {
        self.registry = registry
        self.logger = logger
    }

    func add(dueAt time: Timestamp) { state.withLock { $0.nextDueAt = min($0.nextDueAt ?? time, time) } }

    /// Puts the messages that are due into the outbox, and tells `accept` of each.
    func release(at now: Timestamp, _ accept: @escaping @Sendable (OutboundMessage) -> Void) {
        let isDue = state.withLock { state in
            guard !state.isReleasing, let due = state.nextDueAt, due <= now else { return false }
            state.isReleasing = true
            state.nextDueAt = nil
            return true
        }
        guard isDue else { return }
        registry.submit(.releaseScheduled(now: now), deadline: nil) { [self] result in
            state.withLock { $0.isReleasing = false }
            switch result {
            case .success(.released(let entries, let next)):
                for outbound in entries { accept(outbound) }
                if let next { add(dueAt: next) }
            case .success, .failure(.closed): break
            case .failure(let error):
                logger.warning("scheduled messages cannot be released yet", metadata: ["error": "\(error)"])
                add(dueAt: now)
            }
        }
    }
}
