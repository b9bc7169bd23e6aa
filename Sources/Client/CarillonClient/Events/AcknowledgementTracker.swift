/// The acknowledgements of a subscription of events: the number that the program has acknowledged, the number that is
/// on the disk of the server, and the tasks that wait for it.
struct AcknowledgementTracker {
    /// Called once, with the result of a flush.
    typealias Completion = (Result<Void, CarillonError>) -> Void

    /// The number up to which the program has acknowledged everything; 0 if it has acknowledged nothing.
    private(set) var acknowledged: UInt64 = 0
    /// The number up to which everything is acknowledged on the disk of the server.
    private(set) var durable: UInt64 = 0
    private var flushes: [UInt64: Flush] = [:]

    /// A task that waits until everything up to a number is durable.
    private struct Flush {
        var upTo: UInt64
        var completion: Completion
    }

    /// The number to send to the server; 0 if it has everything.
    var unsent: UInt64 { acknowledged > durable ? acknowledged : 0 }

    /// Acknowledges everything up to a number; returns false if they were acknowledged before.
    mutating func acknowledge(upTo sequence: UInt64) -> Bool {
        guard sequence > acknowledged else { return false }
        acknowledged = sequence
        return true
    }

    /// Records that the server has everything up to this number on its disk. Completes the flushes that waited for it.
    mutating func becameDurable(_ sequence: UInt64) {
        durable = max(durable, sequence)
        for (id, flush) in flushes where flush.upTo <= durable {
            flushes[id] = nil
            flush.completion(.success(()))
        }
    }

    /// Calls `completion` when everything that is acknowledged now is durable.
    mutating func flush(_ id: UInt64, _ completion: @escaping Completion) {
        flushes[id] = Flush(upTo: acknowledged, completion: completion)
    }

    /// Ends a flush with an error if it still waits.
    mutating func abandonFlush(_ id: UInt64, with error: CarillonError) {
        flushes.removeValue(forKey: id)?.completion(.failure(error))
    }

    mutating func abandonFlushes(_ error: CarillonError) {
        let waiting = flushes.values
        flushes = [:]
        for flush in waiting { flush.completion(.failure(error)) }
    }

    /// Begins again at 0, because the server has another history. Flushes that wait end with an error.
    mutating func reset(_ error: CarillonError) {
        abandonFlushes(error)
        acknowledged = 0
        durable = 0
    }
}
