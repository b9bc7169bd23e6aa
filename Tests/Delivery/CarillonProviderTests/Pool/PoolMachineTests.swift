import CarillonCore
import CarillonProvider
import Testing

/// The opening of connections: one by one, and more slowly when that fails.
struct PoolMachineTests {
    @Test func connectionsAreOpenedOneByOneUpToTheLimit() {
        var limits = PoolMachine.Limits()
        limits.connections = 2
        var pool = PoolMachine(limits: limits)
        #expect(pool.decideToOpen(at: 1_000, random: 0) == .open)
        #expect(pool.connectionCount == 1)
        // While one is being opened, no other is for a while.
        #expect(pool.decideToOpen(at: 2_999, random: 0) == .wait(until: 3_000))
        pool.connectionOpened(at: 1_100)
        let decisions = ([1_249, 1_250] as [Uptime]).map { pool.decideToOpen(at: $0, random: 0) }
        #expect(decisions == [.wait(until: 1_250), .open])
        pool.connectionOpened(at: 1_300)
        #expect(pool.decideToOpen(at: 99_000, random: 0) == .idle)
        #expect(pool.connectionCount == 2)

        pool.connectionRetired(.ended, attemptedAt: 1_000, openMilliseconds: 97_700, at: 99_000, random: 0)
        #expect(pool.connectionCount == 1)
        #expect(pool.decideToOpen(at: 99_000, random: 0) == .open)
    }

    /// The first push of a connection may never be answered.
    @Test(arguments: [1, 2, 8]) func anotherConnectionIsOpenedIfOneHasNotOpenedForTwoSeconds(_ connections: Int) {
        var limits = PoolMachine.Limits()
        limits.connections = connections
        var pool = PoolMachine(limits: limits)
        #expect(!pool.permitsSecondAttempt(hasChannel: false))
        #expect(pool.decideToOpen(at: 1_000, random: 0) == .open)
        #expect(pool.permitsSecondAttempt(hasChannel: true))
        #expect(pool.decideToOpen(at: 1_001, random: 0) == .wait(until: 3_000))
        #expect(pool.decideToOpen(at: 3_000, random: 0) == .open, "a pool of one has two for a while")
        #expect(pool.decideToOpen(at: 3_001, random: 0) == (connections > 2 ? .wait(until: 5_000) : .idle))
        pool.connectionOpened(at: 3_100)
        #expect(!pool.permitsSecondAttempt(hasChannel: false))
        pool.connectionRetired(.ended, attemptedAt: 3_000, openMilliseconds: nil, at: 21_000, random: 0)
        #expect(pool.connectionCount == 1)
        #expect(pool.undecidedCount == 0)
    }

    @Test func noOtherConnectionIsOpenedOnceOneHasOpened() {
        var pool = PoolMachine()
        #expect(pool.decideToOpen(at: 1_000, random: 0) == .open)
        #expect(pool.permitsSecondAttempt(hasChannel: false))
        #expect(pool.permitsSecondAttempt(hasChannel: true))
        pool.connectionOpened(at: 1_100)
        #expect(!pool.permitsSecondAttempt(hasChannel: false))
        #expect(!pool.permitsSecondAttempt(hasChannel: true))
    }

    @Test func aSecondAttemptIsPermittedOnlyWithoutAChannel() {
        var pool = PoolMachine()
        #expect(pool.decideToOpen(at: 1_000, random: 0) == .open)
        #expect(pool.decideToOpen(at: 3_000, random: 0) == .open)
        #expect(pool.permitsSecondAttempt(hasChannel: false))
        #expect(!pool.permitsSecondAttempt(hasChannel: true))
    }

    @Test(
        arguments: [
            (random: 0.0, divisor: 2), (random: 1.0, divisor: 1), (random: -9.0, divisor: 2),
            (random: 9.0, divisor: 1),
        ] as [(random: Double, divisor: UInt64)])
    func theDelayDoublesWithEachFailure(_ random: Double, _ divisor: UInt64) {
        var pool = PoolMachine()
        var now: Uptime = 0
        for delay: UInt64 in [1_000, 2_000, 4_000, 8_000, 16_000, 25_000, 25_000] {
            #expect(pool.decideToOpen(at: now, random: random) == .open)
            pool.connectionRetired(.ended, attemptedAt: now, openMilliseconds: nil, at: now, random: random)
            #expect(pool.connectionCount == 0)
            let next = now + delay / divisor
            #expect(pool.decideToOpen(at: next.earlier(byMilliseconds: 1), random: random) == .wait(until: next))
            now = next
        }
    }

    /// Connections that are never answered end by their timeouts, one after another.
    @Test func attemptsThatRaceCountAsOne() {
        var pool = PoolMachine()
        for attempt: Uptime in [0, 2_000, 4_000] { #expect(pool.decideToOpen(at: attempt, random: 1) == .open) }
        pool.connectionRetired(.ended, attemptedAt: 0, openMilliseconds: nil, at: 10_000, random: 1)
        #expect(pool.decideToOpen(at: 10_999, random: 1) == .wait(until: 11_000))
        #expect(pool.decideToOpen(at: 11_000, random: 1) == .open)
        for attempt: Uptime in [2_000, 4_000] {
            pool.connectionRetired(.ended, attemptedAt: attempt, openMilliseconds: nil, at: attempt + 10_000, random: 1)
        }
        pool.connectionRetired(.ended, attemptedAt: 11_000, openMilliseconds: nil, at: 21_000, random: 1)
        #expect(pool.decideToOpen(at: 21_000, random: 1) == .wait(until: 23_000), "the second failure")
    }

    @Test func anAttemptThatAnotherOvertookIsNoFailure() {
        var pool = PoolMachine()
        #expect(pool.decideToOpen(at: 0, random: 1) == .open)
        #expect(pool.decideToOpen(at: 2_000, random: 1) == .open)
        pool.connectionOpened(at: 2_100)
        pool.connectionRetired(.ended, attemptedAt: 0, openMilliseconds: nil, at: 10_000, random: 1)
        #expect(pool.decideToOpen(at: 10_000, random: 1) == .open)
    }

    @Test func anAttemptThatWasOvertakenMayStillAskForLessLoad() {
        var pool = PoolMachine()
        #expect(pool.decideToOpen(at: 0, random: 1) == .open)
        #expect(pool.decideToOpen(at: 2_000, random: 1) == .open)
        pool.connectionOpened(at: 2_100)
        pool.connectionRetired(.askedForLessLoad, attemptedAt: 0, openMilliseconds: nil, at: 2_400, random: 1)
        #expect(pool.decideToOpen(at: 2_400, random: 1) == .wait(until: 3_400))
    }

    @Test func afterALongOutageThePoolGrowsAtFullSpeed() {
        var pool = PoolMachine()
        var now: Uptime = 0
        for _ in 0..<10 {
            #expect(pool.decideToOpen(at: now, random: 1) == .open)
            pool.connectionRetired(.ended, attemptedAt: now, openMilliseconds: nil, at: now, random: 1)
            now += 60_000
        }
        #expect(pool.decideToOpen(at: now, random: 1) == .open)
        pool.connectionOpened(at: now + 100)
        #expect(pool.decideToOpen(at: now + 249, random: 1) == .wait(until: now + 250))
        #expect(pool.decideToOpen(at: now + 250, random: 1) == .open)
    }

    @Test func manyFailuresDoNotOverflow() {
        var pool = PoolMachine()
        var now: Uptime = 0
        for _ in 0..<200 {
            now += 60_000
            #expect(pool.decideToOpen(at: now, random: 1) == .open)
            pool.connectionRetired(.ended, attemptedAt: now, openMilliseconds: nil, at: now, random: 1)
        }
        #expect(pool.decideToOpen(at: now, random: 1) == .wait(until: now + 25_000))
    }

    @Test func aConnectionThatWorksForgivesTheFailures() {
        var pool = PoolMachine()
        #expect(pool.decideToOpen(at: 0, random: 1) == .open)
        pool.connectionRetired(.ended, attemptedAt: 0, openMilliseconds: nil, at: 0, random: 1)
        #expect(pool.decideToOpen(at: 1_000, random: 1) == .open)
        pool.connectionOpened(at: 1_100)
        pool.connectionRetired(.ended, attemptedAt: 1_000, openMilliseconds: 10_000, at: 11_100, random: 1)
        #expect(pool.decideToOpen(at: 11_100, random: 1) == .open)
        pool.connectionRetired(.ended, attemptedAt: 11_100, openMilliseconds: nil, at: 11_100, random: 1)
        #expect(pool.decideToOpen(at: 11_100, random: 1) == .wait(until: 12_100))
    }

    @Test func aConnectionThatIsEndedByPlanIsNoFailure() {
        var pool = PoolMachine()
        #expect(pool.decideToOpen(at: 0, random: 1) == .open)
        pool.connectionRetired(.planned, attemptedAt: 0, openMilliseconds: nil, at: 300, random: 1)
        #expect(pool.decideToOpen(at: 300, random: 1) == .open)
        pool.connectionOpened(at: 400)
        pool.connectionRetired(.planned, attemptedAt: 300, openMilliseconds: 200, at: 600, random: 1)
        #expect(pool.decideToOpen(at: 600, random: 1) == .open)
    }

    // MARK: Connections that end soon

    /// Each connection works for a moment: without delays there would be four a second, for ever.
    @Test func connectionsThatEndSoonAreReplacedMoreAndMoreSlowly() {
        var pool = PoolMachine()
        var now: Uptime = 0
        for delay: UInt64 in [1_000, 2_000, 4_000, 8_000, 16_000, 25_000, 25_000] {
            #expect(pool.decideToOpen(at: now, random: 1) == .open)
            pool.connectionOpened(at: now + 50)
            #expect(pool.decideToOpen(at: now + 60, random: 1) != .open)
            now += 100
            pool.connectionRetired(.ended, attemptedAt: now, openMilliseconds: 50, at: now, random: 1)
            #expect(pool.decideToOpen(at: now + (delay - 1), random: 1) == .wait(until: now + delay))
            now += delay
        }
    }

    @Test func aConnectionThatLastsForgivesThoseThatEndedSoon() {
        var pool = PoolMachine()
        #expect(pool.decideToOpen(at: 0, random: 1) == .open)
        pool.connectionOpened(at: 50)
        pool.connectionRetired(.ended, attemptedAt: 0, openMilliseconds: 50, at: 100, random: 1)
        #expect(pool.decideToOpen(at: 1_100, random: 1) == .open)
        pool.connectionOpened(at: 1_200)
        #expect(pool.decideToOpen(at: 1_500, random: 1) == .wait(until: 2_100), "whether it lasts is not known")
        // Ten seconds later it is, whether it ends then or not.
        #expect(pool.decideToOpen(at: 11_200, random: 1) == .open)
        pool.connectionOpened(at: 11_300)
        #expect(pool.decideToOpen(at: 11_450, random: 1) == .open)
    }

    @Test func connectionsThatEndTogetherCountAsOne() {
        var pool = PoolMachine()
        for index: UInt64 in 0..<8 {
            #expect(pool.decideToOpen(at: Uptime(milliseconds: index * 300), random: 1) == .open)
            pool.connectionOpened(at: Uptime(milliseconds: index * 300 + 50))
        }
        for index: UInt64 in 0..<8 {
            pool.connectionRetired(
                .ended, attemptedAt: Uptime(milliseconds: index * 300), openMilliseconds: 4_950 - index * 300,
                at: 5_000,
                random: 1)
        }
        #expect(pool.decideToOpen(at: 5_000, random: 1) == .wait(until: 6_000))
    }

    @Test func aPeerThatAsksForLessLoadGetsAPauseWhateverTheAgeOfTheConnection() {
        var pool = PoolMachine()
        #expect(pool.decideToOpen(at: 0, random: 1) == .open)
        pool.connectionOpened(at: 50)
        pool.connectionRetired(.askedForLessLoad, attemptedAt: 0, openMilliseconds: 3_599_950, at: 3_600_000, random: 1)
        #expect(pool.decideToOpen(at: 3_600_000, random: 1) == .wait(until: 3_601_000))
        #expect(pool.decideToOpen(at: 3_601_000, random: 1) == .open)
        pool.connectionRetired(
            .askedForLessLoad, attemptedAt: 3_601_000, openMilliseconds: nil, at: 3_601_100, random: 1)
        #expect(pool.decideToOpen(at: 3_601_100, random: 1) == .wait(until: 3_603_100))
    }

    @Test func bothGroupsOfAPoolKeepTheirDistance() {
        var (main, isolated) = (PoolMachine(), PoolMachine())
        #expect(main.decideToOpen(at: 1_000, random: 0) == .open)
        #expect(isolated.decideToOpen(at: 1_000, earliest: 1_250, random: 0) == .wait(until: 1_250))
        #expect(isolated.decideToOpen(at: 1_250, earliest: 1_250, random: 0) == .open)
    }
}
