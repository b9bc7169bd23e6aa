import CarillonCore
import CarillonProvider
import Testing

/// The outages of a provider: one counts only after a while, and its end counts at once.
struct ReachabilityTests {
    @Test func `an outage and its end are reported once`() {
        var reachability = Reachability(outageMilliseconds: 10_000)
        var reports: [String] = []
        let updates: [(isConnected: Bool, at: Uptime)] = [
            (isConnected: false, at: 1_000), (isConnected: false, at: 10_999), (isConnected: false, at: 11_000),
            (isConnected: false, at: 60_000), (isConnected: true, at: 61_000), (isConnected: false, at: 100_000),
            (isConnected: true, at: 109_999), (isConnected: false, at: 110_000), (isConnected: false, at: 119_999),
        ]
        for update in updates
        where reachability.update(isConnected: update.isConnected, isNeeded: true, at: update.at) {
            reports.append("\(update.at) \(reachability.isUnreachable)")
        }
        #expect(reports == ["11000 true", "61000 false"])
    }

    @Test func `without work a missing connection is no outage`() {
        var reachability = Reachability(outageMilliseconds: 10_000)
        func update(_ isConnected: Bool, needed: Bool, at now: Uptime) -> Bool {
            reachability.update(isConnected: isConnected, isNeeded: needed, at: now)
        }
        let changes = [
            update(false, needed: false, at: 0), update(false, needed: false, at: 99_000),
            update(false, needed: true, at: 100_000), update(false, needed: false, at: 105_000),
            update(false, needed: true, at: 110_000), update(false, needed: true, at: 120_000),
        ]
        #expect(changes == [false, false, false, false, false, true])
        // The deliveries that waited are on disk now, so no work waits. Only a connection shows that the outage is
        // over.
        #expect(update(false, needed: false, at: 121_000) == false)
        #expect(reachability.isUnreachable)
        #expect(update(true, needed: false, at: 122_000) == true)
    }
}
