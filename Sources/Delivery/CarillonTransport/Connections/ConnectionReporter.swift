import CarillonClock
import CarillonCore
import CarillonProvider

/// Reports the state of one connection to its group and to the pool's metrics: that it works, how many streams it adds
/// to the pool, and that it takes no new work.
struct ConnectionReporter {
    private let metrics: PoolMetrics
    private let report: @Sendable (PushConnectionEvent) -> Void
    /// The time at which the connection has shown that it works; nil if it has not.
    private var openedAt: Uptime?
    /// True if the connection takes no new work.
    private(set) var hasRetired = false
    /// The number of streams that were added to the pool's metrics.
    private var countedStreams = 0

    /// Makes the reporter of a connection that has not shown yet that it works.
    ///
    /// - Parameter report: receives the events.
    init(metrics: PoolMetrics, report: @escaping @Sendable (PushConnectionEvent) -> Void) {
        self.metrics = metrics
        self.report = report
    }

    var hasOpened: Bool { openedAt != nil }

    /// Reports an event that changes nothing here.
    func send(_ event: PushConnectionEvent) { report(event) }

    /// Reports that the connection works.
    ///
    /// - Parameter streams: the number of streams that it may open at a time.
    mutating func opened(streams: Int, at now: Uptime) {
        openedAt = now
        count(streams)
        report(.opened)
    }

    /// Counts the streams again, because the peer has changed how many it allows.
    mutating func streamsChanged(to streams: Int) {
        if hasOpened { count(streams) }
    }

    /// Reports that the connection takes no new work.
    mutating func retired(_ retirement: ConnectionGroupMachine.Retirement, at now: Uptime) {
        hasRetired = true
        count(0)
        report(.retired(retirement, openMilliseconds: openedAt.map { now.milliseconds(since: $0) }))
    }

    /// Records why the connection could not be used, if it has never worked.
    func failed(because error: any Error) {
        if !hasOpened { metrics.recordFailure(because: error, at: Clock.wallTime()) }
    }

    private mutating func count(_ streams: Int) {
        metrics.streamsChanged(by: streams - countedStreams)
        countedStreams = streams
    }
}

/// An event that a connection reports to its group, on the connection's event loop.
enum PushConnectionEvent: Sendable {
    /// The SETTINGS of the provider were received.
    case settingsReceived
    /// The connection has shown that it works.
    case opened
    /// The connection takes no new work. Reported once, at the latest when the connection is closed. `openMilliseconds`
    /// are counted from `opened`; nil if that was not reported.
    case retired(ConnectionGroupMachine.Retirement, openMilliseconds: UInt64?)
    /// All streams are in use, and there may be more work.
    case saturated
    /// The peer takes nothing of the work that waits.
    case blocked
    /// The provider has ended the connection because of the credential.
    case credentialRefused(reason: String)
    /// The provider has refused the provider token as expired, or as renewed too often.
    case providerTokenRefused(reason: String)
    /// The connection has given up the interactive lane: the other connections should pull from it.
    case laneReleased
    /// The connection has ended while these attempts had no answer, and one of them may be the reason. Reported before
    /// they are given back.
    case ended(unanswered: [Attempt])
}

/// A command of the connection group to a connection, sent as a user event of the channel.
enum PushConnectionCommand: Sendable {
    case pull
    /// Take no new work, await the answers in flight, and then close.
    case drain
    /// Submit at most this number of pushes in each interval; nil to submit as many as there are streams.
    case limitRate(Int?, intervalMilliseconds: UInt64)
    /// Take pushes of the bulk lane too, or leave them to other connections.
    case carryBulk(Bool)
}
