import CarillonCommandLine

/// The result of a search: the output of `search --json`.
struct SearchResult: Encodable {
    var version = RunResult.currentVersion
    var software = CarillonLoad.software
    var build = Build.own
    @NullIfNil var serverBuild: Build?
    /// The time at which the search started: RFC 3339, UTC.
    var startedAt: String
    /// The settings of the last step.
    var settings: RunResult.Settings
    var machine: MachineDescription
    var limits: [String]
    /// The highest rate that held, in requests a second; nil if no rate held.
    @NullIfNil var rate: Double?
    /// The lowest rate that failed; nil if no rate failed.
    @NullIfNil var failsAt: Double?
    var steps: [SearchStep]
    /// The warnings about the reliability of the result.
    var notes: [String]

    var text: String {
        let words =
            switch (rate, failsAt) {
            case (let rate?, let failing?): "Highest rate that holds: \(rate.short)/s; \(failing.short)/s fails."
            case (let rate?, nil): "Highest rate that holds: \(rate.short)/s; no rate up to --highest failed."
            case (nil, let failing?): "No rate holds: \(failing.short)/s, the lowest, fails."
            case (nil, nil): "The search has no result."
            }
        return ([words] + notes.map { "* " + $0 }).joined(separator: "\n")
    }
}
