import CarillonCore
import CarillonSession
import NIOCore

/// The calls of a client that have not ended: the queue of those that wait to be sent, and the bounds of all.
///
/// It alone changes the state of a call, so that its counts are always those of the calls.
struct CallTable {
    /// The maximum number of waiting calls.
    let maximumWaiting: Int
    /// The maximum number of bytes of the requests of all calls.
    let maximumBytes: Int

    private var calls = AscendingTable<Call>()
    /// The ids of the queue in their order; entries of calls that have left the queue are skipped.
    private var queue = CircularBuffer<UInt64>()
    private var waitingCount = 0
    private var requestBytes = 0
    private var connecting: Set<UInt64> = []

    init(_ configuration: CarillonClient.Configuration) {
        maximumWaiting = max(configuration.maximumWaitingCalls, 1)
        maximumBytes = configuration.maximumMemoryBytes
    }

    var isEmpty: Bool { calls.isEmpty }
    var count: Int { calls.count }
    /// All calls with their ids.
    var elements: [(id: UInt64, value: Call)] { calls.elements }

    subscript(id: UInt64) -> Call? { calls[id] }

    /// Returns the error of a call for which there is no room; nil if there is room.
    func refusal(of call: Call) -> CarillonError? {
        guard waitingCount < maximumWaiting else {
            return CarillonError(
                .overloaded, retryAfter: .milliseconds(100), message: "\(waitingCount) calls wait already")
        }
        guard requestBytes + call.byteCount <= maximumBytes else {
            return CarillonError(
                .overloaded, retryAfter: .milliseconds(100),
                message: "the requests of the calls under way have \(requestBytes) bytes already")
        }
        return nil
    }

    /// Adds a call. One that only connects never stands in the queue. Any other counts as waiting from here on, and
    /// ``enqueue(_:atFront:)`` gives it a place in the queue.
    mutating func insert(_ call: Call, id: UInt64) {
        calls[id] = call
        requestBytes += call.byteCount
        if case .connect = call.kind {
            call.state = .connecting
            connecting.insert(id)
        } else {
            call.state = .waiting
            waitingCount += 1
        }
    }

    /// Removes a call that has its result.
    mutating func remove(_ id: UInt64) -> Call? {
        guard let call = calls.remove(id) else { return nil }
        if call.isWaiting { waitingCount -= 1 }
        requestBytes -= call.byteCount
        if case .connect = call.kind { connecting.remove(id) }
        return call
    }

    /// Changes the state of a call, and counts it as waiting or not; without effect if the call has ended.
    mutating func move(_ id: UInt64, to state: Call.State) {
        guard let call = calls[id] else { return }
        if call.isWaiting { waitingCount -= 1 }
        call.state = state
        if call.isWaiting { waitingCount += 1 }
    }

    // MARK: The queue

    /// True if the queue has no entry, also none of a call that has left it.
    var isQueueEmpty: Bool { queue.isEmpty }

    /// True if a call waits, or connects.
    var wantsConnection: Bool { waitingCount > 0 || !connecting.isEmpty }

    /// The calls that only connect, the oldest first.
    var connectingIDs: [UInt64] { connecting.sorted() }

    /// The calls that wait in the queue.
    var waitingIDs: [UInt64] { queue.filter(isWaiting) }

    /// Gives a call a place in the queue.
    mutating func enqueue(_ id: UInt64, atFront: Bool = false) {
        move(id, to: .waiting)
        if atFront { queue.prepend(id) } else { queue.append(id) }
        // Calls that have ended meanwhile leave their ids in the queue.
        if queue.count > 2 * waitingCount + 64 { queue = CircularBuffer(queue.filter(isWaiting)) }
    }

    /// Returns the first call of the queue; nil if none waits.
    mutating func firstWaiting() -> (id: UInt64, call: Call)? {
        while let id = queue.first {
            if let call = calls[id], call.isWaiting { return (id, call) }
            queue.removeFirst()
        }
        return nil
    }

    /// Removes the first place of the queue. Its call counts as waiting until ``move(_:to:)`` changes its state.
    mutating func removeFirstWaiting() { queue.removeFirst() }

    private func isWaiting(_ id: UInt64) -> Bool { calls[id]?.isWaiting ?? false }
}
