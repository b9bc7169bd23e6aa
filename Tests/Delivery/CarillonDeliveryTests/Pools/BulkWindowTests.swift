import CarillonCore
import Testing

@testable import CarillonDelivery

/// Bulk fills the path to the provider and no more: what would only wait is not sent yet.
///
/// A measurement lets the window run dry from time to time, so a path counts as full from 90 % of its capacity on.
struct BulkWindowTests {
    @Test func `the queue of the server stays short`() {
        // A near and narrow path: 40 a millisecond, answered after 2 ms.
        var path = SimulatedPath(perMillisecond: 40, roundTripMilliseconds: 2)
        path.run(milliseconds: 2_000)
        let (delivered, longestMilliseconds) = path.run(milliseconds: 20_000)
        #expect(delivered > path.capacity(milliseconds: 20_000) * 95 / 100)
        #expect(longestMilliseconds < 20, "ten round trips")
    }

    @Test func `the window of a long path grows to its maximum`() {
        // In a round trip the path takes more pushes than the largest window has.
        var path = SimulatedPath(perMillisecond: 1_000, roundTripMilliseconds: 60)
        path.run(milliseconds: 3_000)
        #expect(path.window.size == SimulatedPath.maximumWindow)
        let roundTrips = 10_000 / 60
        #expect(path.run(milliseconds: 10_000).delivered > SimulatedPath.maximumWindow * roundTrips * 95 / 100)
    }

    @Test func `a path that becomes longer is filled again`() {
        var path = SimulatedPath(perMillisecond: 20, roundTripMilliseconds: 50)
        path.run(milliseconds: 5_000)
        path.roundTripMilliseconds = 200
        path.run(milliseconds: 15_000)
        #expect(path.run(milliseconds: 10_000).delivered > path.capacity(milliseconds: 10_000) * 90 / 100)
    }

    @Test func `a path that answers late is not given up`() {
        var path = SimulatedPath(perMillisecond: 2, roundTripMilliseconds: 50)
        path.run(milliseconds: 5_000)
        path.roundTripMilliseconds = 6_000
        path.run(milliseconds: 40_000)
        #expect(path.run(milliseconds: 10_000).delivered > path.capacity(milliseconds: 10_000) * 90 / 100)
    }

    @Test func `a path that becomes narrow is not overfilled`() {
        var path = SimulatedPath(perMillisecond: 100, roundTripMilliseconds: 30)
        path.run(milliseconds: 3_000)
        path.perMillisecond = 5
        path.run(milliseconds: 10_000)
        let (delivered, longestMilliseconds) = path.run(milliseconds: 10_000)
        #expect(delivered > path.capacity(milliseconds: 10_000) * 90 / 100)
        #expect(longestMilliseconds < 120, "four round trips")
    }

    @Test(arguments: [2, 20, 60] as [UInt64])
    func `servers that send over the same path share it`(roundTripMilliseconds: UInt64) {
        // The others have never seen the path without a queue.
        var path = SimulatedPath(perMillisecond: 100, roundTripMilliseconds: roundTripMilliseconds)
        path.run(milliseconds: 2_000)
        for _ in 0..<2 {
            path.addServer()
            path.run(milliseconds: 500)
        }
        path.run(milliseconds: 3_000)
        let delivered = path.run(milliseconds: 10_000).delivered
        #expect(delivered > path.capacity(milliseconds: 10_000) * 90 / 100)
        // A third for each would be fair.
        let least = delivered * 15 / 100
        #expect(path.deliveredByServer.filter { $0 < least } == [], "\(path.deliveredByServer)")
    }

    @Test func `a connection that is dead does not hold up the others`() {
        var path = SimulatedPath(perMillisecond: 40, roundTripMilliseconds: 2)
        path.run(milliseconds: 1_000)
        // A thousand are never answered.
        path.window.pushesHandedOut(1_000, at: 1_000)
        #expect(path.run(milliseconds: 2_000).delivered > path.capacity(milliseconds: 900), "at most 1.1 s are lost")
        #expect(path.run(milliseconds: 10_000).delivered > path.capacity(milliseconds: 10_000) * 90 / 100)
    }

    @Test func `late returns do not count twice`() {
        var window = BulkWindow(maximum: 2_000, at: 0)
        window.pushesHandedOut(1_000, at: 0)
        #expect(window.updateRoom(at: 1) == 0)
        #expect(window.wakeAt == 128)
        for _ in 0..<10 { window.pushReturned(handedOutAt: 0) }
        #expect(window.updateRoom(at: 900) == 10)

        // After a second the other 990 are no longer counted, also when they return.
        let late: Uptime = 1_024
        #expect(window.updateRoom(at: late) == 1_000)
        #expect(window.wakeAt == nil)
        window.pushReturned(handedOutAt: 0)
        #expect(window.inFlight == 0)
        window.pushesHandedOut(5, at: late)
        window.pushReturned(handedOutAt: 0)
        #expect(window.inFlight == 5)

        // A time that is still to come is the time of no push, so nothing is counted.
        window.pushReturned(handedOutAt: 9_999)
        #expect(window.updateRoom(at: 1_000_000) == 1_000)
        #expect(window.inFlight == 0)
    }

    @Test func `few pushes are sent during a measurement`() {
        var window = BulkWindow(maximum: 1_000, at: 0)
        window.pushesHandedOut(1_000, at: 0)
        window.providerAnswered(handedOutAt: 0, at: 2)
        window.providerAnswered(handedOutAt: 0, at: 20)
        // These answers are far too late, and the fastest was measured long ago: bulk stops until the queue is empty.
        window.pushesHandedOut(window.updateRoom(at: 6_000), at: 6_000)
        window.providerAnswered(handedOutAt: 6_000, at: 6_400)
        #expect(window.updateRoom(at: 6_401) == 0)
        #expect(window.wakeAt == 6_798)

        // The measurement begins.
        #expect(window.updateRoom(at: 6_800) == BulkWindow.minimumPushes)
        #expect(window.wakeAt == 7_600)
        window.pushesHandedOut(BulkWindow.minimumPushes, at: 6_800)
        #expect(window.updateRoom(at: 6_801) == 0)
        // This answer says nothing: its push was handed out before the measurement.
        window.providerAnswered(handedOutAt: 6_000, at: 6_850)
        #expect(window.updateRoom(at: 6_850) == 0)

        // The first answer to a push of the measurement ends it.
        window.providerAnswered(handedOutAt: 6_800, at: 6_900)
        #expect(window.updateRoom(at: 6_900) == 0, "all is still on its way")
        #expect(window.size == 1_000)
    }

    @Test func `a measurement without an answer ends`() {
        var window = BulkWindow(maximum: 1_000, at: 0)
        window.pushesHandedOut(1_000, at: 0)
        window.providerAnswered(handedOutAt: 0, at: 20)
        window.pushesHandedOut(1_000, at: 6_000)
        window.providerAnswered(handedOutAt: 6_000, at: 6_400)
        window.pushesHandedOut(window.updateRoom(at: 6_800), at: 6_800)
        #expect(window.updateRoom(at: 7_599) == 0)
        #expect(window.updateRoom(at: 7_600) == 1_000 - BulkWindow.minimumPushes)
    }
}
