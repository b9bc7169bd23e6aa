import CarillonCore
import CarillonWire

/// Acknowledgements that are written later: of each subscriber only the newest.
struct DeferredAcknowledgements {
    /// A handler that is called when the acknowledgement is on disk, with nil, or with the error.
    typealias CompletionHandler = @Sendable (RequestError?) -> Void

    /// The newest acknowledgement of a subscriber, and the requests that wait for it.
    struct Acknowledgement {
        var subscriber: EventSubscriber
        var sequence: UInt64
        var completions: [CompletionHandler]
    }

    private var waiting: [EventSubscriber: Acknowledgement] = [:]

    /// Returns true if an acknowledgement of the subscriber waits: a later one must not be written before it.
    func isWaiting(_ subscriber: EventSubscriber) -> Bool { waiting[subscriber] != nil }

    /// Adds an acknowledgement; returns true if it is the only one, so that the time to write them begins now.
    mutating func add(_ subscriber: EventSubscriber, upTo sequence: UInt64, _ completion: @escaping CompletionHandler)
        -> Bool
    {
        let isOnly = waiting.isEmpty
        waiting[subscriber, default: Acknowledgement(subscriber: subscriber, sequence: 0, completions: [])].add(
            sequence, completion)
        return isOnly
    }

    /// Removes and returns the acknowledgement of a subscriber; nil if none waits.
    mutating func remove(_ subscriber: EventSubscriber) -> Acknowledgement? {
        waiting.removeValue(forKey: subscriber)
    }

    /// Removes and returns all acknowledgements.
    mutating func removeAll() -> [Acknowledgement] {
        defer { waiting = [:] }
        return Array(waiting.values)
    }
}

extension DeferredAcknowledgements.Acknowledgement {
    fileprivate mutating func add(
        _ newSequence: UInt64, _ completion: @escaping DeferredAcknowledgements.CompletionHandler
    ) {
        sequence = max(sequence, newSequence)
        completions.append(completion)
    }
}
