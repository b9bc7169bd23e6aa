import CarillonAPNs
import Testing

/// Connections are opened one by one, and more slowly when that fails.
@Suite struct PoolMachineTests {
    @Test func connectionsAreOpenedOneByOneUpToTheLimit() {
        var limits = PoolMachine.Limits()
        limits.connections = 2
        var pool = PoolMachine(limits: limits)
        #expect(pool.workWaits(at: 1_000, random: 0) == .open)
        #expect(pool.connections == 1)
        // While one is being opened, no other is for a while.
        #expect(pool.workWaits(at: 2_999, random: 0) == .wait(until: 3_000))
        pool.connectionOpened()
        #expect(pool.workWaits(at: 1_249, random: 0) == .wait(until: 1_250))
        #expect(pool.workWaits(at: 1_250, random: 0) == .open)
        pool.connectionOpened()
        #expect(pool.workWaits(at: 99_000, random: 0) == .idle)
        #expect(pool.connections == 2)

        pool.connectionRetired(wasOpened: true, at: 99_000, random: 0)
        #expect(pool.connections == 1)
        #expect(pool.workWaits(at: 99_000, random: 0) == .open)
    }

    /// The first push of a connection may never be answered.
    @Test(arguments: [1, 2, 8]) func aConnectionThatIsUndecidedForTwoSecondsIsRaced(_ connections: Int) {
        var limits = PoolMachine.Limits()
        limits.connections = connections
        var pool = PoolMachine(limits: limits)
        #expect(!pool.isUndecided)
        #expect(pool.workWaits(at: 1_000, random: 0) == .open)
        #expect(pool.isUndecided)
        #expect(pool.workWaits(at: 1_001, random: 0) == .wait(until: 3_000))
        #expect(pool.workWaits(at: 3_000, random: 0) == .open, "a pool of one has two for a while")
        #expect(pool.workWaits(at: 3_001, random: 0) == (connections > 2 ? .wait(until: 5_000) : .idle))
        pool.connectionOpened()
        #expect(!pool.isUndecided)
        pool.connectionRetired(wasOpened: false, at: 21_000, random: 0)
        #expect(pool.connections == 1)
        #expect(pool.opening == 0)
    }

    @Test func aConnectionThatHasOpenedIsNotRaced() {
        var pool = PoolMachine()
        #expect(pool.workWaits(at: 1_000, random: 0) == .open)
        #expect(pool.mayRace(hasChannel: false) && pool.mayRace(hasChannel: true))
        pool.connectionOpened()
        #expect(!pool.mayRace(hasChannel: false) && !pool.mayRace(hasChannel: true))
    }

    @Test func aSecondAttemptIsRacedOnlyIfNoneIsConnected() {
        var pool = PoolMachine()
        #expect(pool.workWaits(at: 1_000, random: 0) == .open)
        #expect(pool.workWaits(at: 3_000, random: 0) == .open)
        #expect(pool.mayRace(hasChannel: false))
        #expect(!pool.mayRace(hasChannel: true))
    }

    @Test(arguments: [(0.0, 2), (1.0, 1), (-9.0, 2), (9.0, 1)] as [(Double, UInt64)])
    func thePauseDoublesWithEachFailure(_ random: Double, _ divisor: UInt64) {
        var pool = PoolMachine()
        var now: UInt64 = 0
        for pause: UInt64 in [1_000, 2_000, 4_000, 8_000, 16_000, 25_000, 25_000] {
            #expect(pool.workWaits(at: now, random: random) == .open)
            pool.connectionRetired(wasOpened: false, at: now, random: random)
            #expect(pool.connections == 0)
            let next = now + pause / divisor
            #expect(pool.workWaits(at: next - 1, random: random) == .wait(until: next))
            now = next
        }
    }

    @Test func afterALongOutageThePoolGrowsAtFullSpeed() {
        var pool = PoolMachine()
        var now: UInt64 = 0
        for _ in 0..<10 {
            #expect(pool.workWaits(at: now, random: 1) == .open)
            pool.connectionRetired(wasOpened: false, at: now, random: 1)
            now += 60_000
        }
        #expect(pool.workWaits(at: now, random: 1) == .open)
        pool.connectionOpened()
        #expect(pool.workWaits(at: now + 249, random: 1) == .wait(until: now + 250))
        #expect(pool.workWaits(at: now + 250, random: 1) == .open)
    }

    @Test func manyFailuresDoNotOverflow() {
        var pool = PoolMachine()
        var now: UInt64 = 0
        for _ in 0..<200 {
            now += 60_000
            #expect(pool.workWaits(at: now, random: 1) == .open)
            pool.connectionRetired(wasOpened: false, at: now, random: 1)
        }
        #expect(pool.workWaits(at: now, random: 1) == .wait(until: now + 25_000))
    }

    @Test func aConnectionThatWorksForgivesTheFailures() {
        var pool = PoolMachine()
        #expect(pool.workWaits(at: 0, random: 1) == .open)
        pool.connectionRetired(wasOpened: false, at: 0, random: 1)
        #expect(pool.workWaits(at: 1_000, random: 1) == .open)
        pool.connectionOpened()
        pool.connectionRetired(wasOpened: true, at: 5_000, random: 1)
        #expect(pool.workWaits(at: 5_000, random: 1) == .open)
        pool.connectionRetired(wasOpened: false, at: 5_000, random: 1)
        #expect(pool.workWaits(at: 5_000, random: 1) == .wait(until: 6_000))
    }

    @Test func aRefusedCredentialStopsEverythingUntilThereIsANewOne() {
        var pool = PoolMachine()
        #expect(pool.workWaits(at: 0, random: 0) == .open)
        pool.credentialRefused()
        #expect(pool.isStopped)
        pool.connectionRetired(wasOpened: false, at: 0, random: 0)
        #expect(pool.workWaits(at: .max / 2, random: 0) == .idle)
        pool.credentialRenewed()
        #expect(!pool.isStopped)
        #expect(pool.workWaits(at: 1, random: 0) == .open)
    }
}
