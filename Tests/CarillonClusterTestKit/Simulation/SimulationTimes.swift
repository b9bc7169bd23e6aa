import CarillonCluster

/// The durations of a simulated cluster. They are a tenth of the real ones, so that a run has many leases.
struct SimulationTimes: Sendable {
    var lease = LeaseTimes(leaseMilliseconds: 400, marginMilliseconds: 150, renewalMilliseconds: 100)
    /// The greatest age of the state for reads and pushes.
    var bound: UInt64 = 100
    var entryWait: UInt64 = 25
    /// The longest time that a call of the log may take.
    var call: UInt64 = 60
    /// The longest time for which a change waits for a batch, and a read for its position.
    var (queueing, read): (UInt64, UInt64) = (150, 100)
    /// The time until the end of a batch is unknown.
    var batch: UInt64 = 200
    /// The time for the pushes on the wire when a node leaves, and then for its entry.
    var leaving: UInt64 = 300
    /// The longest time that a replica takes to apply entries, usually and sometimes.
    var (application, slowApplication): (UInt64, UInt64) = (6, 80)
    /// The most pushes of a node that are not recorded.
    var window = 6
    var pushesPerStep = 2
    /// The time until a push is answered.
    var push: ClosedRange<UInt64> = 2...30
    var claims: ClaimPlanner.Limits = {
        var limits = ClaimPlanner.Limits()
        limits.maximumPages = 4
        return limits
    }()
    /// The speeds at which clocks may run, compared with real time.
    var speeds: ClosedRange<Double> = 0.98...1.02

    func set(in options: inout ClusterNode.Options) {
        options.times = lease
        options.maximumStalenessMilliseconds = bound
        options.entryWaitMilliseconds = entryWait
        options.reportPauseMilliseconds = 5
        options.retryPauseMilliseconds = 20
        options.retention.minimumEntries = 60
        options.retention.maximumEntriesBehind = 120
        options.maximumQueuedEntries = 40
    }
}
