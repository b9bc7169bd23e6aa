import CarillonWire
import Synchronization

/// The result of one request, or of pipelined changes, on its way to the session that it came from.
enum Completion: Sendable {
    case request(id: UInt64, Result<EncodedAnswer, RequestError>)
    /// The result of SUBSCRIBE_EVENTS: the number after which the events begin.
    case subscription(id: UInt64, Result<UInt64, RequestError>)
    case changes(CompletedChanges)
}

/// The completions of one connection that other threads have left, until the event loop applies them all.
final class CompletionInbox: Sendable {
    private let completions = Mutex<[Completion]>([])

    /// Adds a completion; returns true if the inbox was empty, and the event loop must be woken.
    func append(_ completion: Completion) -> Bool {
        completions.withLock { completions in
            completions.append(completion)
            return completions.count == 1
        }
    }

    /// Removes and returns all completions, in the order in which they came.
    func removeAll() -> [Completion] {
        completions.withLock { completions in
            let all = completions
            completions = []
            return all
        }
    }
}
