import CarillonAPNs
import Testing

/// An outage is one only after a while, and its end is known at once.
@Suite struct ReachabilityTests {
    @Test func anOutageIsSaidOnceAndSoIsItsEnd() {
        var reachability = Reachability()
        var said: [String] = []
        let looks: [(stands: Bool, at: UInt64)] = [
            (false, 1_000), (false, 10_999), (false, 11_000), (false, 60_000), (true, 61_000), (false, 100_000),
            (true, 109_999), (false, 110_000), (false, 119_999),
        ]
        for look in looks where reachability.look(stands: look.stands, at: look.at) {
            said.append("\(look.at) \(reachability.isLost)")
        }
        #expect(said == ["11000 true", "61000 false"])
    }
}
