import CarillonAPNs
import Testing

/// An outage counts only after a while; its end counts at once.
@Suite struct ReachabilityTests {
    @Test func anOutageAndItsEndAreReportedOnce() {
        var reachability = Reachability(outage: 10_000)
        var reports: [String] = []
        let updates: [(isConnected: Bool, at: UInt64)] = [
            (false, 1_000), (false, 10_999), (false, 11_000), (false, 60_000), (true, 61_000), (false, 100_000),
            (true, 109_999), (false, 110_000), (false, 119_999),
        ]
        for update in updates where reachability.update(isConnected: update.isConnected, at: update.at) {
            reports.append("\(update.at) \(reachability.isLost)")
        }
        #expect(reports == ["11000 true", "61000 false"])
    }
}
