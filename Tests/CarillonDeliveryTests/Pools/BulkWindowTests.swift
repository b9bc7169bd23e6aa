import CarillonCore
import Testing

@testable import CarillonDelivery

/// Bulk fills the path to the provider and no more: what would only wait is not sent yet.
struct BulkWindowTests {
    /// A path that answers a number of pushes a millisecond, one after the other, each after its round trip. One server
    /// sends over it, or several.
    private struct Path {
        var perMillisecond: Int
        var roundTrip: UInt64
        /// The windows of the servers.
        private var windows = [BulkWindow(maximum: 16_384, at: 0)]
        private var now: Uptime = 0
        /// The answers on their way: when they come, when their pushes were sent, and the server that sent them.
        private var answers: [(due: Uptime, sentAt: Uptime, server: Int)] = []
        /// The index of the next answer: those before it have come.
        private var nextAnswer = 0
        private var busyUntil = 0.0
        /// The number of deliveries of each server since the last run began.
        private(set) var deliveredByServer = [0]

        /// The window of the first server.
        var window: BulkWindow {
            get { windows[0] }
            set { windows[0] = newValue }
        }

        init(perMillisecond: Int, roundTrip: UInt64) {
            self.perMillisecond = perMillisecond
            self.roundTrip = roundTrip
        }

        /// Adds a server, which begins to send.
        mutating func addServer() {
            windows.append(BulkWindow(maximum: 16_384, at: now))
            deliveredByServer.append(0)
        }

        /// Lets time pass while there is always more to send; returns deliveries and the longest time of an answer.
        mutating func run(milliseconds: UInt64) -> (delivered: Int, longest: UInt64) {
            deliveredByServer = windows.map { _ in 0 }
            var longest: UInt64 = 0
            for _ in 0..<milliseconds {
                now += 1
                var latest: [Int: Uptime] = [:]
                while nextAnswer < answers.count, answers[nextAnswer].due <= now {
                    let (_, sentAt, server) = answers[nextAnswer]
                    windows[server].pushReturned(handedOutAt: sentAt)
                    latest[server] = max(latest[server] ?? 0, sentAt)
                    longest = max(longest, now - sentAt)
                    deliveredByServer[server] += 1
                    nextAnswer += 1
                }
                if nextAnswer > 100_000 {
                    answers.removeFirst(nextAnswer)
                    nextAnswer = 0
                }
                for index in windows.indices {
                    // Each server is the first one as often as the others.
                    let server = (index + Int(now.milliseconds)) % windows.count
                    if let sentAt = latest[server] { windows[server].providerAnswered(handedOutAt: sentAt, at: now) }
                    send(windows[server].updateRoom(at: now), by: server)
                }
            }
            return (deliveredByServer.reduce(0, +), longest)
        }

        private mutating func send(_ count: Int, by server: Int) {
            windows[server].pushesHandedOut(count, at: now)
            for _ in 0..<count {
                busyUntil = max(busyUntil, Double(now.milliseconds)) + 1 / Double(perMillisecond)
                answers.append((Uptime(milliseconds: UInt64(busyUntil) + roundTrip), now, server))
            }
        }
    }

    @Test func theQueueOfTheServerStaysShort() {
        // A near and narrow path: 40 a millisecond, answered after 2 ms.
        var path = Path(perMillisecond: 40, roundTrip: 2)
        _ = path.run(milliseconds: 2_000)
        let (delivered, longest) = path.run(milliseconds: 20_000)
        #expect(delivered > 40 * 20_000 * 95 / 100)
        #expect(longest < 20)
    }

    @Test func aFarAndWidePathIsFilled() {
        // 60 ms away, wider than anything we have.
        var path = Path(perMillisecond: 1_000, roundTrip: 60)
        _ = path.run(milliseconds: 3_000)
        #expect(path.window.size == 16_384)
        #expect(path.run(milliseconds: 10_000).delivered > 16_384 * 10_000 / 60 * 95 / 100)
    }

    @Test func aPathThatBecomesLongerIsFilledAgain() {
        var path = Path(perMillisecond: 20, roundTrip: 50)
        _ = path.run(milliseconds: 5_000)
        path.roundTrip = 200
        _ = path.run(milliseconds: 15_000)
        #expect(path.run(milliseconds: 10_000).delivered > 20 * 10_000 * 90 / 100)
    }

    @Test func aPathThatAnswersLateIsNotGivenUp() {
        var path = Path(perMillisecond: 2, roundTrip: 50)
        _ = path.run(milliseconds: 5_000)
        path.roundTrip = 6_000
        _ = path.run(milliseconds: 40_000)
        #expect(path.run(milliseconds: 10_000).delivered > 2 * 10_000 * 90 / 100)
    }

    @Test func aPathThatBecomesNarrowIsNotOverfilled() {
        var path = Path(perMillisecond: 100, roundTrip: 30)
        _ = path.run(milliseconds: 3_000)
        path.perMillisecond = 5
        _ = path.run(milliseconds: 10_000)
        let (delivered, longest) = path.run(milliseconds: 10_000)
        #expect(delivered > 5 * 10_000 * 90 / 100)
        #expect(longest < 120)
    }

    @Test(arguments: [2, 20, 60] as [UInt64])
    func serversThatSendOverTheSamePathShareIt(roundTrip: UInt64) {
        // The others have never seen the path without a queue.
        var path = Path(perMillisecond: 100, roundTrip: roundTrip)
        _ = path.run(milliseconds: 2_000)
        for _ in 0..<2 {
            path.addServer()
            _ = path.run(milliseconds: 500)
        }
        _ = path.run(milliseconds: 3_000)
        let delivered = path.run(milliseconds: 10_000).delivered
        #expect(delivered > 100 * 10_000 * 90 / 100)
        for count in path.deliveredByServer { #expect(count * 100 >= delivered * 15, "\(path.deliveredByServer)") }
    }

    @Test func aConnectionThatIsDeadDoesNotHoldUpTheOthers() {
        var path = Path(perMillisecond: 40, roundTrip: 2)
        _ = path.run(milliseconds: 1_000)
        // A thousand are never answered.
        path.window.pushesHandedOut(1_000, at: 1_000)
        #expect(path.run(milliseconds: 2_000).delivered > 40 * 900)
        #expect(path.run(milliseconds: 10_000).delivered > 40 * 10_000 * 90 / 100)
    }

    @Test func lateReturnsDoNotCountTwice() {
        var window = BulkWindow(maximum: 2_000, at: 0)
        window.pushesHandedOut(1_000, at: 0)
        #expect(window.updateRoom(at: 1) == 0)
        #expect(window.wakeAt == 128)
        for _ in 0..<10 { window.pushReturned(handedOutAt: 0) }
        #expect(window.updateRoom(at: 900) == 10)
        #expect(window.updateRoom(at: 1_024) == 1_000)
        #expect(window.wakeAt == nil)
        window.pushReturned(handedOutAt: 0)
        #expect(window.inFlight == 0)
        window.pushesHandedOut(5, at: 1_024)
        window.pushReturned(handedOutAt: 0)
        #expect(window.inFlight == 5)
        window.pushReturned(handedOutAt: 9_999)
        #expect(window.updateRoom(at: 1_000_000) == 1_000)
        #expect(window.inFlight == 0)
    }

    @Test func fewPushesAreSentDuringAMeasurement() {
        var window = BulkWindow(maximum: 1_000, at: 0)
        window.pushesHandedOut(1_000, at: 0)
        window.providerAnswered(handedOutAt: 0, at: 2)
        window.providerAnswered(handedOutAt: 0, at: 20)
        // They are late by far, and the best answer is old: the queue is let run dry.
        window.pushesHandedOut(window.updateRoom(at: 6_000), at: 6_000)
        window.providerAnswered(handedOutAt: 6_000, at: 6_400)
        #expect(window.updateRoom(at: 6_401) == 0)
        #expect(window.wakeAt == 6_798)
        #expect(window.updateRoom(at: 6_800) == BulkWindow.minimumPushes)
        #expect(window.wakeAt == 7_600)
        window.pushesHandedOut(BulkWindow.minimumPushes, at: 6_800)
        #expect(window.updateRoom(at: 6_801) == 0)
        // It was sent before, and says nothing.
        window.providerAnswered(handedOutAt: 6_000, at: 6_850)
        #expect(window.updateRoom(at: 6_850) == 0)
        window.providerAnswered(handedOutAt: 6_800, at: 6_900)
        #expect(window.updateRoom(at: 6_900) == 0, "all is still on its way")
        #expect(window.size == 1_000)
    }

    @Test func aMeasurementWithoutAnAnswerEnds() {
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
