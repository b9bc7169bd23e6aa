import CarillonCore

@testable import CarillonDelivery

/// A path that answers a number of pushes a millisecond, one after the other, each after its round trip. One server
/// sends over it, or several.
struct SimulatedPath {
    /// The most pushes in flight of a server.
    static let maximumWindow = 16_384

    var perMillisecond: Int
    var roundTripMilliseconds: UInt64
    private var windows = [BulkWindow(maximum: Self.maximumWindow, at: 0)]
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

    init(perMillisecond: Int, roundTripMilliseconds: UInt64) {
        self.perMillisecond = perMillisecond
        self.roundTripMilliseconds = roundTripMilliseconds
    }

    /// Adds a server, which begins to send.
    mutating func addServer() {
        windows.append(BulkWindow(maximum: Self.maximumWindow, at: now))
        deliveredByServer.append(0)
    }

    /// Lets time pass while there is always more to send; returns the number of deliveries, and the longest time from a
    /// push to its answer.
    @discardableResult
    mutating func run(milliseconds: UInt64) -> (delivered: Int, longestMilliseconds: UInt64) {
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
            answers.append((Uptime(milliseconds: UInt64(busyUntil) + roundTripMilliseconds), now, server))
        }
    }

    /// The most pushes that the path can answer in a time, when it is never empty.
    func capacity(milliseconds: Int) -> Int { perMillisecond * milliseconds }
}
