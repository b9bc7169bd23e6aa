import CarillonCore
import CarillonProvider
import Testing

/// Connections are opened one by one, and more slowly when that fails.
struct ConnectionGroupMachineTests {
    @Test func `connections are opened one by one up to the limit`() {
        var limits = ConnectionGroupMachine.Limits()
        limits.connections = 2
        var group = ConnectionGroupMachine(limits: limits)
        #expect(group.decideToOpen(at: 1_000, random: 0) == .open)
        #expect(group.connectionCount == 1)
        // While one is being opened, no other is for a while.
        #expect(group.decideToOpen(at: 2_999, random: 0) == .wait(until: 3_000))
        group.connectionOpened(at: 1_100)
        let decisions = ([1_249, 1_250] as [Uptime]).map { group.decideToOpen(at: $0, random: 0) }
        #expect(decisions == [.wait(until: 1_250), .open])
        group.connectionOpened(at: 1_300)
        #expect(group.decideToOpen(at: 99_000, random: 0) == .idle)
        #expect(group.connectionCount == 2)

        group.connectionRetired(.ended, attemptedAt: 1_000, openMilliseconds: 97_700, at: 99_000, random: 0)
        #expect(group.connectionCount == 1)
        #expect(group.decideToOpen(at: 99_000, random: 0) == .open)
    }

    /// The first push of a connection may never be answered.
    @Test(arguments: [1, 2, 8]) func `another connection is opened if one has not opened for two seconds`(
        _ connections: Int
    ) {
        var limits = ConnectionGroupMachine.Limits()
        limits.connections = connections
        var group = ConnectionGroupMachine(limits: limits)
        #expect(!group.permitsSecondAttempt(hasChannel: false))
        #expect(group.decideToOpen(at: 1_000, random: 0) == .open)
        #expect(group.permitsSecondAttempt(hasChannel: true))
        #expect(group.decideToOpen(at: 1_001, random: 0) == .wait(until: 3_000))
        #expect(group.decideToOpen(at: 3_000, random: 0) == .open, "a group of one has two for a while")
        #expect(group.decideToOpen(at: 3_001, random: 0) == (connections > 2 ? .wait(until: 5_000) : .idle))
        group.connectionOpened(at: 3_100)
        #expect(!group.permitsSecondAttempt(hasChannel: false))
        group.connectionRetired(.ended, attemptedAt: 3_000, openMilliseconds: nil, at: 21_000, random: 0)
        #expect(group.connectionCount == 1)
        #expect(group.undecidedCount == 0)
    }

    @Test func `no other connection is opened once one has opened`() {
        var group = ConnectionGroupMachine()
        #expect(group.decideToOpen(at: 1_000, random: 0) == .open)
        #expect(group.permitsSecondAttempt(hasChannel: false))
        #expect(group.permitsSecondAttempt(hasChannel: true))
        group.connectionOpened(at: 1_100)
        #expect(!group.permitsSecondAttempt(hasChannel: false))
        #expect(!group.permitsSecondAttempt(hasChannel: true))
    }

    @Test func `a second attempt is permitted only without a channel`() {
        var group = ConnectionGroupMachine()
        #expect(group.decideToOpen(at: 1_000, random: 0) == .open)
        #expect(group.decideToOpen(at: 3_000, random: 0) == .open)
        #expect(group.permitsSecondAttempt(hasChannel: false))
        #expect(!group.permitsSecondAttempt(hasChannel: true))
    }

    @Test(
        arguments: [
            (random: 0.0, divisor: 2), (random: 1.0, divisor: 1), (random: -9.0, divisor: 2),
            (random: 9.0, divisor: 1),
        ] as [(random: Double, divisor: UInt64)])
    func `the delay doubles with each failure`(_ random: Double, _ divisor: UInt64) {
        var group = ConnectionGroupMachine()
        var now: Uptime = 0
        for delay: UInt64 in [1_000, 2_000, 4_000, 8_000, 16_000, 25_000, 25_000] {
            #expect(group.decideToOpen(at: now, random: random) == .open)
            group.connectionRetired(.ended, attemptedAt: now, openMilliseconds: nil, at: now, random: random)
            #expect(group.connectionCount == 0)
            let next = now + delay / divisor
            #expect(group.decideToOpen(at: next.earlier(byMilliseconds: 1), random: random) == .wait(until: next))
            now = next
        }
    }

    /// Connections that are never answered end by their timeouts, one after another.
    @Test func `attempts that race count as one`() {
        var group = ConnectionGroupMachine()
        for attempt: Uptime in [0, 2_000, 4_000] { #expect(group.decideToOpen(at: attempt, random: 1) == .open) }
        group.connectionRetired(.ended, attemptedAt: 0, openMilliseconds: nil, at: 10_000, random: 1)
        #expect(group.decideToOpen(at: 10_999, random: 1) == .wait(until: 11_000))
        #expect(group.decideToOpen(at: 11_000, random: 1) == .open)
        for attempt: Uptime in [2_000, 4_000] {
            group.connectionRetired(
                .ended, attemptedAt: attempt, openMilliseconds: nil, at: attempt + 10_000, random: 1)
        }
        group.connectionRetired(.ended, attemptedAt: 11_000, openMilliseconds: nil, at: 21_000, random: 1)
        #expect(group.decideToOpen(at: 21_000, random: 1) == .wait(until: 23_000), "the second failure")
    }

    @Test func `an attempt that another overtook is no failure`() {
        var group = ConnectionGroupMachine()
        #expect(group.decideToOpen(at: 0, random: 1) == .open)
        #expect(group.decideToOpen(at: 2_000, random: 1) == .open)
        group.connectionOpened(at: 2_100)
        group.connectionRetired(.ended, attemptedAt: 0, openMilliseconds: nil, at: 10_000, random: 1)
        #expect(group.decideToOpen(at: 10_000, random: 1) == .open)
    }

    @Test func `an attempt that was overtaken may still ask for less load`() {
        var group = ConnectionGroupMachine()
        #expect(group.decideToOpen(at: 0, random: 1) == .open)
        #expect(group.decideToOpen(at: 2_000, random: 1) == .open)
        group.connectionOpened(at: 2_100)
        group.connectionRetired(.askedForLessLoad, attemptedAt: 0, openMilliseconds: nil, at: 2_400, random: 1)
        #expect(group.decideToOpen(at: 2_400, random: 1) == .wait(until: 3_400))
    }

    @Test func `after a long outage the pool grows at full speed`() {
        var group = ConnectionGroupMachine()
        var now: Uptime = 0
        for _ in 0..<10 {
            #expect(group.decideToOpen(at: now, random: 1) == .open)
            group.connectionRetired(.ended, attemptedAt: now, openMilliseconds: nil, at: now, random: 1)
            now += 60_000
        }
        #expect(group.decideToOpen(at: now, random: 1) == .open)
        group.connectionOpened(at: now + 100)
        #expect(group.decideToOpen(at: now + 249, random: 1) == .wait(until: now + 250))
        #expect(group.decideToOpen(at: now + 250, random: 1) == .open)
    }

    @Test func `many failures do not overflow`() {
        var group = ConnectionGroupMachine()
        var now: Uptime = 0
        for _ in 0..<200 {
            now += 60_000
            #expect(group.decideToOpen(at: now, random: 1) == .open)
            group.connectionRetired(.ended, attemptedAt: now, openMilliseconds: nil, at: now, random: 1)
        }
        #expect(group.decideToOpen(at: now, random: 1) == .wait(until: now + 25_000))
    }

    @Test func `a connection that works forgives the failures`() {
        var group = ConnectionGroupMachine()
        #expect(group.decideToOpen(at: 0, random: 1) == .open)
        group.connectionRetired(.ended, attemptedAt: 0, openMilliseconds: nil, at: 0, random: 1)
        #expect(group.decideToOpen(at: 1_000, random: 1) == .open)
        group.connectionOpened(at: 1_100)
        group.connectionRetired(.ended, attemptedAt: 1_000, openMilliseconds: 10_000, at: 11_100, random: 1)
        #expect(group.decideToOpen(at: 11_100, random: 1) == .open)
        group.connectionRetired(.ended, attemptedAt: 11_100, openMilliseconds: nil, at: 11_100, random: 1)
        #expect(group.decideToOpen(at: 11_100, random: 1) == .wait(until: 12_100))
    }

    @Test func `a connection that is ended by plan is no failure`() {
        var group = ConnectionGroupMachine()
        #expect(group.decideToOpen(at: 0, random: 1) == .open)
        group.connectionRetired(.planned, attemptedAt: 0, openMilliseconds: nil, at: 300, random: 1)
        #expect(group.decideToOpen(at: 300, random: 1) == .open)
        group.connectionOpened(at: 400)
        group.connectionRetired(.planned, attemptedAt: 300, openMilliseconds: 200, at: 600, random: 1)
        #expect(group.decideToOpen(at: 600, random: 1) == .open)
    }

    // MARK: Connections that end soon

    /// Each connection works for a moment: without delays there would be four a second, for ever.
    @Test func `connections that end soon are replaced more and more slowly`() {
        var group = ConnectionGroupMachine()
        var now: Uptime = 0
        for delay: UInt64 in [1_000, 2_000, 4_000, 8_000, 16_000, 25_000, 25_000] {
            #expect(group.decideToOpen(at: now, random: 1) == .open)
            group.connectionOpened(at: now + 50)
            #expect(group.decideToOpen(at: now + 60, random: 1) != .open)
            now += 100
            group.connectionRetired(.ended, attemptedAt: now, openMilliseconds: 50, at: now, random: 1)
            #expect(group.decideToOpen(at: now + (delay - 1), random: 1) == .wait(until: now + delay))
            now += delay
        }
    }

    @Test func `a connection that lasts forgives those that ended soon`() {
        var group = ConnectionGroupMachine()
        #expect(group.decideToOpen(at: 0, random: 1) == .open)
        group.connectionOpened(at: 50)
        group.connectionRetired(.ended, attemptedAt: 0, openMilliseconds: 50, at: 100, random: 1)
        #expect(group.decideToOpen(at: 1_100, random: 1) == .open)
        group.connectionOpened(at: 1_200)
        #expect(group.decideToOpen(at: 1_500, random: 1) == .wait(until: 2_100), "whether it lasts is not known")
        // Ten seconds later it is, whether it ends then or not.
        #expect(group.decideToOpen(at: 11_200, random: 1) == .open)
        group.connectionOpened(at: 11_300)
        #expect(group.decideToOpen(at: 11_450, random: 1) == .open)
    }

    @Test func `connections that end together count as one`() {
        var group = ConnectionGroupMachine()
        for index: UInt64 in 0..<8 {
            #expect(group.decideToOpen(at: Uptime(milliseconds: index * 300), random: 1) == .open)
            group.connectionOpened(at: Uptime(milliseconds: index * 300 + 50))
        }
        for index: UInt64 in 0..<8 {
            group.connectionRetired(
                .ended, attemptedAt: Uptime(milliseconds: index * 300), openMilliseconds: 4_950 - index * 300,
                at: 5_000, random: 1)
        }
        #expect(group.decideToOpen(at: 5_000, random: 1) == .wait(until: 6_000))
    }

    @Test func `a peer that asks for less load gets a pause at any age`() {
        var group = ConnectionGroupMachine()
        #expect(group.decideToOpen(at: 0, random: 1) == .open)
        group.connectionOpened(at: 50)
        group.connectionRetired(
            .askedForLessLoad, attemptedAt: 0, openMilliseconds: 3_599_950, at: 3_600_000, random: 1)
        #expect(group.decideToOpen(at: 3_600_000, random: 1) == .wait(until: 3_601_000))
        #expect(group.decideToOpen(at: 3_601_000, random: 1) == .open)
        group.connectionRetired(
            .askedForLessLoad, attemptedAt: 3_601_000, openMilliseconds: nil, at: 3_601_100, random: 1)
        #expect(group.decideToOpen(at: 3_601_100, random: 1) == .wait(until: 3_603_100))
    }

    @Test func `the groups of a pool open connections at different times`() {
        var main = ConnectionGroupMachine()
        var isolated = ConnectionGroupMachine()
        #expect(main.decideToOpen(at: 1_000, random: 0) == .open)
        #expect(isolated.decideToOpen(at: 1_000, earliest: 1_250, random: 0) == .wait(until: 1_250))
        #expect(isolated.decideToOpen(at: 1_250, earliest: 1_250, random: 0) == .open)
    }
}
