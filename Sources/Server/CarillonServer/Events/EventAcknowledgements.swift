import CarillonClock
import CarillonCore
import CarillonWire
import NIOCore
import Synchronization

/// Passes the acknowledgements of event subscribers to the registry.
///
/// EVENT_CREDIT does not count for the rate limit of requests, because a consumer must be able to go on (Protocol 15).
/// But each acknowledgement is a durable write. So acknowledgements have a rate limit of their own, of the same size.
/// Acknowledgements beyond it are written together a second later, and then answered.
final class EventAcknowledgements: Sendable {
    /// How long acknowledgements beyond the rate limit wait.
    private static let delay = TimeAmount.seconds(1)

    private let registry: any ChangeQueue
    private let loop: any EventLoop
    private let wallClock: @Sendable () -> Timestamp
    private let rateLimit = RequestRateLimit()
    private let deferred = Mutex(DeferredAcknowledgements())

    /// Makes the acknowledgements of all subscribers. At first none waits to be written.
    ///
    /// - Parameters:
    ///   - loop: the loop on which deferred acknowledgements are submitted.
    ///   - wallClock: the clock for the time of an acknowledgement; by default `CLOCK_REALTIME`.
    init(
        _ registry: any ChangeQueue, loop: any EventLoop,
        wallClock: @escaping @Sendable () -> Timestamp = Clock.wallTime
    ) {
        self.registry = registry
        self.loop = loop
        self.wallClock = wallClock
    }

    /// Stores that a subscriber has seen every event up to a number: at once if the principal's rate limit allows it
    /// and no earlier acknowledgement of the subscriber waits, else within a second.
    ///
    /// - Parameter completion: called when that is on disk, with nil, or with the error.
    func acknowledge(
        _ subscriber: EventSubscriber, upTo sequence: UInt64, as principal: Principal, now: Uptime,
        _ completion: @escaping DeferredAcknowledgements.CompletionHandler
    ) {
        let (isDeferred, isOnly) = deferred.withLock { deferred in
            guard deferred.isWaiting(subscriber) || rateLimit.takeRequest(of: principal, now: now) != nil else {
                return (false, false)
            }
            return (true, deferred.add(subscriber, upTo: sequence, completion))
        }
        if !isDeferred { write(subscriber, upTo: sequence, completion) }
        if isOnly { loop.scheduleTask(in: Self.delay) { self.writeAll() } }
    }

    /// Stores a number at once, whatever the rate limit.
    func write(
        _ subscriber: EventSubscriber, upTo sequence: UInt64,
        _ completion: @escaping DeferredAcknowledgements.CompletionHandler
    ) {
        let change = Change.acknowledge(subscriber, upTo: sequence, now: wallClock())
        registry.submit(change, deadline: nil) { result in
            switch result {
            case .success(.refused(let refusal)): completion(RequestError(refusal))
            case .success: completion(nil)
            case .failure(let error): completion(RequestError(error))
            }
        }
    }

    /// Submits the acknowledgement of a subscriber that waits, because a change must come after it.
    func writeDeferred(of subscriber: EventSubscriber) {
        if let deferred = deferred.withLock({ $0.remove(subscriber) }) { write(deferred) }
    }

    /// Submits everything that waits.
    func writeAll() {
        for deferred in deferred.withLock({ $0.removeAll() }) { write(deferred) }
    }

    private func write(_ deferred: DeferredAcknowledgements.Acknowledgement) {
        write(deferred.subscriber, upTo: deferred.sequence) { error in
            for completion in deferred.completions { completion(error) }
        }
    }
}

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
