import CarillonCluster

/// The durations and bounds of a simulated cluster. The lease, its renewals, the greatest age of the state and the wait
/// for entries are a tenth of the real ones, so that a run has many leases.
struct SimulationTimes: Sendable {
    var lease = LeaseTimes(leaseMilliseconds: 400, marginMilliseconds: 150, renewalMilliseconds: 100)
    /// The greatest age of the state for reads and pushes.
    var maximumStalenessMilliseconds: UInt64 = 100
    var entryWaitMilliseconds: UInt64 = 25
    /// The longest time that a call of the log may take.
    var maximumCallMilliseconds: UInt64 = 60
    /// The longest time for which a change waits for a batch.
    var maximumQueueingMilliseconds: UInt64 = 150
    /// The longest time for which a read waits for its position.
    var maximumReadMilliseconds: UInt64 = 100
    /// The longest time for which a batch waits for its end; then the end is unknown.
    var maximumBatchMilliseconds: UInt64 = 200
    /// The time for the pushes on the wire when a node leaves, and then for its entry.
    var leavingMilliseconds: UInt64 = 300
    /// The longest time that a replica usually takes to apply entries.
    var maximumApplyMilliseconds: UInt64 = 6
    /// The longest time that a replica sometimes takes to apply entries.
    var maximumSlowApplyMilliseconds: UInt64 = 80
    /// The most pushes of a node that are not recorded.
    var maximumUnrecordedPushes = 6
    var pushesPerStep = 2
    /// The time until a push is answered.
    var pushMilliseconds: ClosedRange<UInt64> = 2...30
    var claims: ClaimPlanner.Limits = {
        var limits = ClaimPlanner.Limits()
        limits.pages = 4
        return limits
    }()
    /// The speeds at which clocks may run, compared with real time.
    var speeds: ClosedRange<Double> = 0.98...1.02

    func set(in options: inout ClusterNode.Options) {
        options.times = lease
        options.maximumStalenessMilliseconds = maximumStalenessMilliseconds
        options.entryWaitMilliseconds = entryWaitMilliseconds
        options.minimumReportIntervalMilliseconds = 5
        options.retryDelayMilliseconds = 20
        options.retention.minimumEntries = 60
        options.retention.entriesBehind = 120
        options.maximumQueuedEntries = 40
    }
}
