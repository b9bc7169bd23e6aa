import CarillonCore
import CarillonProvider

/// Collects the results of one connection until they are given back to the source, with the counts that metrics need.
///
/// Only answers other than 200 are counted one by one, so the common case costs nothing.
struct ResultBatch {
    /// The results, in the order in which the attempts ended.
    private(set) var results: [AttemptResult] = []
    /// The number of results without the status 200.
    private var countWithout200 = 0
    /// The number of results without an answer of the provider.
    private var unansweredCount = 0
    /// The number of results with the answer that the provider is busy.
    private(set) var busyCount = 0

    var isEmpty: Bool { results.isEmpty }
    var count: Int { results.count }
    /// The number of results with the status 200.
    var answered200Count: Int { results.count - countWithout200 }
    /// The number of results with an answer of the provider, of any kind.
    var answeredCount: Int { results.count - unansweredCount }

    /// Appends a delivery that the provider accepted.
    @inline(__always)
    mutating func appendDelivered(_ attempt: consuming Attempt, connection: UInt32, uniqueID: String? = nil) {
        results.append(
            AttemptResult(attempt, verdict: .delivered, status: 200, connection: connection, uniqueID: uniqueID))
    }

    /// Appends an attempt that did not end with a well-formed answer 200.
    mutating func append(
        _ attempt: consuming Attempt, as end: AttemptEnd, connection: UInt32, uniqueID: String? = nil
    ) {
        let verdict = end.verdict
        if verdict != .delivered || end.status != 200 { countWithout200 += 1 }
        switch verdict {
        case .notProcessed, .unknown: unansweredCount += 1
        case .tryLater: busyCount += 1
        case .delivered, .refused, .credentialRefused: break
        }
        results.append(
            AttemptResult(
                attempt, verdict: verdict, status: end.status, reason: end.reason,
                connection: end.wasSent ? connection : 0, uniqueID: uniqueID))
    }

    /// Removes all results and keeps the memory.
    mutating func removeAll() {
        results.removeAll(keepingCapacity: true)
        countWithout200 = 0
        unansweredCount = 0
        busyCount = 0
    }
}
