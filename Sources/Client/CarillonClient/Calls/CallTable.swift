import CarillonCore
import CarillonSession
import NIOCore

/// The calls of a client that have not ended: the queue of those that wait to be sent, and the bounds of all.
///
/// It alone changes the state of a call, so that its counts are always those of the calls.
struct CallTable {
    /// The maximum number of calls in the queue.
    let maximumQueued: Int
    /// The maximum number of bytes of the requests of all calls.
    let maximumBytes: Int

    private var calls = AscendingTable<Call>()
    /// The ids of the queue in their order; entries of calls that have left the queue are skipped.
    private var queue = CircularBuffer<UInt64>()
    private var queuedCount = 0
    private var requestBytes = 0
    private var connecting: Set<UInt64> = []

    init(_ configuration: CarillonClient.Configuration) {
        maximumQueued = max(configuration.maximumWaitingCalls, 1)
        maximumBytes = configuration.maximumMemoryBytes
    }

    var isEmpty: Bool { calls.isEmpty }
    var count: Int { calls.count }
    /// All calls with their ids.
    var elements: [(id: UInt64, value: Call)] { calls.elements }

    subscript(id: UInt64) -> Call? { calls[id] }

    /// Returns the error with which a call is refused that is above a bound; nil if there is room.
    func refusal(of call: Call) -> CarillonError? {
        guard queuedCount < maximumQueued else {
            return CarillonError(
                .overloaded, retryAfter: .milliseconds(100), message: "\(queuedCount) calls wait already")
        }
        guard requestBytes + call.byteCount <= maximumBytes else {
            return CarillonError(
                .overloaded, retryAfter: .milliseconds(100),
                message: "the requests of the calls under way have \(requestBytes) bytes already")
        }
        return nil
    }

    /// Adds a call. One that only connects waits for a connection; any other counts as queued, and has no place in the
    /// queue before ``enqueue(_:atFront:)``.
    mutating func insert(_ call: Call, id: UInt64) {
        calls[id] = call
        requestBytes += call.byteCount
        if case .connect = call.kind {
            call.state = .connecting
            connecting.insert(id)
        } else {
            call.state = .queued
            queuedCount += 1
        }
    }

    /// Removes a call that has its result.
    mutating func remove(_ id: UInt64) -> Call? {
        guard let call = calls.remove(id) else { return nil }
        if call.isQueued { queuedCount -= 1 }
        requestBytes -= call.byteCount
        if case .connect = call.kind { connecting.remove(id) }
        return call
    }

    /// Changes the state of a call, and counts it as queued or not; without effect if the call has ended.
    mutating func move(_ id: UInt64, to state: Call.State) {
        guard let call = calls[id] else { return }
        if call.isQueued { queuedCount -= 1 }
        call.state = state
        if call.isQueued { queuedCount += 1 }
    }

    // MARK: The queue

    /// True if the queue has no entry, also none of a call that has left it.
    var isQueueEmpty: Bool { queue.isEmpty }

    /// True if a call waits to be sent, or for a connection.
    var hasWaiting: Bool { queuedCount > 0 || !connecting.isEmpty }

    /// The calls that wait for a connection, the oldest first.
    var connectingIDs: [UInt64] { connecting.sorted() }

    /// The calls that wait in the queue.
    var queuedIDs: [UInt64] { queue.filter(isQueued) }

    /// Gives a call a place in the queue.
    mutating func enqueue(_ id: UInt64, atFront: Bool = false) {
        move(id, to: .queued)
        if atFront { queue.prepend(id) } else { queue.append(id) }
        // Calls that have ended meanwhile leave their ids in the queue.
        if queue.count > 2 * queuedCount + 64 { queue = CircularBuffer(queue.filter(isQueued)) }
    }

    /// Returns the first call of the queue; nil if none waits.
    mutating func firstQueued() -> (id: UInt64, call: Call)? {
        while let id = queue.first {
            if let call = calls[id], call.isQueued { return (id, call) }
            queue.removeFirst()
        }
        return nil
    }

    /// Takes the first place of the queue away. Its call counts as queued until it is moved.
    mutating func removeFirstQueued() { queue.removeFirst() }

    private func isQueued(_ id: UInt64) -> Bool { calls[id]?.isQueued ?? false }
}
