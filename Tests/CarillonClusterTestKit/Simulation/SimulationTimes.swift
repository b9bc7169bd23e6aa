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

    func set(in settings: inout ClusterNode.Settings) {
        settings.times = lease
        settings.maximumStalenessMilliseconds = bound
        settings.newsMilliseconds = news
        settings.reportPauseMilliseconds = 5
        settings.retryPauseMilliseconds = 20
        settings.retention.entries = 60
        settings.retention.maximumBehind = 120
        settings.maximumQueuedEntries = 40
    }
}
