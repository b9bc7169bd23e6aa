import CoreMetrics

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
