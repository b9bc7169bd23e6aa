import CarillonCore
import CoreMetrics
import Synchronization

/// The numbers of batches that the writer has stored, of the changes in them, and their durations.
final class BatchMetrics: Sendable {
    /// The number of the latest batches whose durations are kept one by one.
    private static let latestBatchCount = 64

    private let durations: Timer
    private let sizes: Recorder
    private let totals = Mutex(ServerStatistics.Batches())

    init(factory: any MetricsFactory) {
        durations = Timer(label: "carillon_batch_seconds", factory: factory)
        sizes = Recorder(label: "carillon_batch_changes", factory: factory)
    }

    func batchWritten(_ changes: Int, nanoseconds: UInt64) {
        durations.recordNanoseconds(Int64(clamping: nanoseconds))
        sizes.record(changes)
        totals.withLock { totals in
            totals.count &+= 1
            totals.changes &+= UInt64(max(0, changes))
            totals.microseconds &+= nanoseconds / 1_000
            if totals.latest.count == Self.latestBatchCount { totals.latest.removeFirst() }
            totals.latest.append(UInt32(clamping: nanoseconds / 1_000))
        }
    }

    /// The number of batches since the start, and the durations of the latest one by one.
    var statistics: ServerStatistics.Batches { totals.withLock { $0 } }
}

/// The durations of a node's appends to the shared log. `MetricsSampler` sets the other metrics of a cluster.
final class ClusterMetrics: Sendable {
    private let appends: Timer

    init(factory: any MetricsFactory) {
        appends = Timer(label: "carillon_cluster_append_seconds", factory: factory)
    }

    /// Records an entry that is durable in the log database.
    ///
    /// - Parameter nanoseconds: the time since the entry was handed to the log database.
    func entryAppended(nanoseconds: UInt64) { appends.recordNanoseconds(Int64(clamping: nanoseconds)) }
}
