import CarillonCluster

/// The durations of a simulated cluster. They are a tenth of the real ones, so that a run has many leases.
struct SimulationTimes: Sendable {
    var lease = LeaseTimes(leaseMilliseconds: 400, marginMilliseconds: 150, renewalMilliseconds: 100)
    /// The greatest age of the state for reads and pushes.
    var bound: UInt64 = 100
    var news: UInt64 = 25
    /// The longest time that a call of the log may take.
    var call: UInt64 = 60
    /// The most pushes of a node that are not recorded.
    var window = 6
    var pushesPerStep = 2
    var claims: ClaimPlanner.ClaimLimits = {
        var limits = ClaimPlanner.ClaimLimits()
        limits.pages = 4
        return limits
    }()
    /// The speeds at which clocks may run, compared with real time.
    var speeds: ClosedRange<Double> = 0.98...1.02

    func set(in options: inout ClusterNode.Options) {
        options.times = lease
        options.maximumStalenessMilliseconds = bound
        options.newsMilliseconds = news
        options.reportPauseMilliseconds = 5
        options.retryPauseMilliseconds = 20
        options.retention.entries = 60
        options.retention.maximumBehind = 120
        options.maximumQueuedEntries = 40
    }
}
