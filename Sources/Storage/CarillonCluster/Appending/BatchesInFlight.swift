import CarillonCore

/// The batches of changes whose callers wait, in the order in which they were begun. The last may still be on its way
/// to the log; the batches before it are in the log and being applied.
struct BatchesInFlight: Sendable {
    private struct Batch: Sendable {
        let id: ClusterNode.BatchID
        /// The entry of the batch; nil before its first append.
        var entry: LogEntry.ID?
        /// The position of the batch in the log; nil if it is not known yet.
        var position: LogPosition?
    }

    static let maximumCount = 4

    private var batches: [Batch] = []
    private var lastNumber: UInt64 = 0

    var isEmpty: Bool { batches.isEmpty }
    /// True if no batch may begin before another has ended.
    var isFull: Bool { batches.count >= Self.maximumCount }

    mutating func begin() -> ClusterNode.BatchID {
        lastNumber += 1
        let id = ClusterNode.BatchID(number: lastNumber)
        batches.append(Batch(id: id))
        return id
    }

    /// Records the entry of a batch whose append has begun. It replaces the entry of an earlier attempt.
    mutating func appendBegan(_ id: ClusterNode.BatchID, as entry: LogEntry.ID) {
        if let index = findIndex(of: id) { batches[index].entry = entry }
    }

    mutating func batchAppended(_ id: ClusterNode.BatchID, at position: LogPosition) {
        if let index = findIndex(of: id) { batches[index].position = position }
    }

    /// Returns the batch whose caller waits for an entry; nil if no caller waits for it.
    func batch(of entry: LogEntry.ID) -> ClusterNode.BatchID? { batches.first { $0.entry == entry }?.id }

    /// Returns the batches that are in the log at `position` or before.
    func batches(appendedThrough position: LogPosition) -> [ClusterNode.BatchID] {
        batches.filter { $0.position.map { $0 <= position } ?? false }.map(\.id)
    }

    /// Removes a batch whose caller is told its end. Returns false if the caller was told before.
    mutating func end(_ id: ClusterNode.BatchID) -> Bool {
        guard let index = findIndex(of: id) else { return false }
        batches.remove(at: index)
        return true
    }

    private func findIndex(of id: ClusterNode.BatchID) -> Int? { batches.firstIndex { $0.id == id } }
}
