import CarillonCore
import CarillonProvider
import Testing

/// Connections are closed early, one after another, the oldest first.
struct ConnectionUpkeepTests {
    private func makeUpkeep(minimum: Int = 1) -> ConnectionUpkeep {
        var limits = ConnectionUpkeep.Limits()
        limits.ageMilliseconds = 100_000
        limits.surplusMilliseconds = 10_000
        limits.minimumSpacingMilliseconds = 1_000
        limits.minimumConnections = minimum
        return ConnectionUpkeep(limits: limits, now: 0)
    }

    @Test(
        arguments: [
            (random: 0.0, end: 80_000), (random: 0.5, end: 100_000), (random: 1.0, end: 120_000),
            (random: -9, end: 80_000), (random: 9, end: 120_000),
        ] as [(random: Double, end: Uptime)])
    func `an old connection is replaced a fifth earlier or later`(_ random: Double, _ end: Uptime) {
        var upkeep = makeUpkeep()
        upkeep.connectionOpened(1, at: 0, random: random)
        #expect(upkeep.takeConnectionToEnd(at: end.earlier(byMilliseconds: 1)) == nil)
        let ending = upkeep.takeConnectionToEnd(at: end)
        #expect(ending?.number == 1)
        #expect(ending?.reason == .replaced)
        #expect(upkeep.takeConnectionToEnd(at: end + 1_000) == nil)
    }

    @Test func `two old connections end one after the other`() {
        var upkeep = makeUpkeep()
        upkeep.connectionOpened(1, at: 0, random: 0)
        upkeep.connectionOpened(2, at: 10, random: 0)
        #expect(upkeep.takeConnectionToEnd(at: 90_000)?.number == 1)
        #expect(upkeep.takeConnectionToEnd(at: 90_999) == nil)
        #expect(upkeep.takeConnectionToEnd(at: 91_000)?.number == 2)
    }

    @Test func `after a quiet time the pool shrinks by one at a time to its minimum`() {
        var upkeep = makeUpkeep(minimum: 2)
        for number in 1...4 { upkeep.connectionOpened(number, at: 0, random: 0.5) }
        upkeep.connectionSaturated(at: 5_000)
        #expect(upkeep.takeConnectionToEnd(at: 14_999) == nil)
        let first = upkeep.takeConnectionToEnd(at: 15_000)
        #expect(first?.reason == .surplus)
        #expect(upkeep.takeConnectionToEnd(at: 16_000) == nil, "the next after as long again")
        #expect(upkeep.takeConnectionToEnd(at: 25_000)?.reason == .surplus)
        #expect(upkeep.takeConnectionToEnd(at: 90_000) == nil, "two are kept")
    }

    @Test func `topics that were added renew every connection`() {
        var upkeep = makeUpkeep()
        upkeep.connectionOpened(1, at: 0, random: 0)
        upkeep.connectionOpened(2, at: 0, random: 0)
        upkeep.replaceAll(at: 500)
        upkeep.connectionOpened(3, at: 600, random: 0)
        #expect(upkeep.takeConnectionToEnd(at: 1_000)?.number == 1)
        #expect(upkeep.takeConnectionToEnd(at: 2_000)?.number == 2)
        #expect(upkeep.takeConnectionToEnd(at: 3_000) == nil)
    }

    @Test func `a retired connection is not ended`() {
        var upkeep = makeUpkeep()
        upkeep.connectionOpened(1, at: 0, random: 0)
        upkeep.connectionRetired(1)
        #expect(upkeep.takeConnectionToEnd(at: 1_000_000_000_000) == nil)
    }
}
