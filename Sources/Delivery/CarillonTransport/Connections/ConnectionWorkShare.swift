import CarillonCore
import CarillonProvider

/// The share of a pool's work that one connection takes: its rate limit, and its part in the interactive lane.
struct ConnectionWorkShare: ~Copyable {
    private var rateLimit = ConnectionRateLimit()
    private var lane: InteractiveLaneOwnership

    /// Makes the share of a connection.
    ///
    /// - Parameter laneFlag: the flag that all connections of the pool share.
    init(laneFlag: InteractiveLaneOwnership.Flag) {
        lane = InteractiveLaneOwnership(laneFlag)
    }

    /// True if the connection takes pushes of the bulk lane too.
    var carriesBulk: Bool { lane.carriesBulk }

    /// Sets the number of pushes that the connection may begin in an interval.
    ///
    /// - Parameter pushesPerInterval: nil for no limit.
    mutating func limitRate(_ pushesPerInterval: Int?, intervalMilliseconds: UInt64) {
        rateLimit.set(pushesPerInterval, intervalMilliseconds: intervalMilliseconds)
    }

    /// Changes whether the connection carries bulk. Returns true if it has given up the interactive lane.
    mutating func setCarriesBulk(_ carriesBulk: Bool) -> Bool { lane.setCarriesBulk(carriesBulk) }

    /// Gives up the interactive lane, because the connection takes no new work. Returns true if it had the lane.
    func releaseLane() -> Bool { lane.release() }

    /// Returns how many of the free streams the rate limit leaves to new pushes.
    ///
    /// - Parameter now: read only if there is a limit.
    func room(within freeStreams: Int, at now: @autoclosure () -> Uptime) -> Int {
        guard rateLimit.pushesPerInterval != nil, let limit = rateLimit.allowance(at: now()) else { return freeStreams }
        return min(freeStreams, limit)
    }

    /// Divides the streams that may be opened now among the lanes.
    ///
    /// - Parameters:
    ///   - permitted: the number of these streams that the quota of the provider permits.
    ///   - reservedStreams: streams that only interactive pushes may use.
    func allowance(streamRoom: Int, permitted: Int, reservedStreams: Int) -> PullAllowance {
        PullAllowance(
            streamRoom: streamRoom, permitted: permitted, carriesBulk: lane.carriesBulk,
            isInteractiveLeft: lane.isLeftToOwner, reservedStreams: reservedStreams)
    }

    /// Counts pushes that were sent against the rate limit.
    mutating func pushesSent(_ count: Int, at now: Uptime) { rateLimit.pushesSent(count, at: now) }

    /// Gives the connection the whole interactive lane at the end of a cycle, or takes it away. Without bulk in its
    /// way, the connection owns the lane as long as it keeps up. Returns true if it has given up the lane.
    ///
    /// - Parameters:
    ///   - answers: pushes answered since the connection was made.
    ///   - unanswered: pushes that wait for an answer.
    ///   - hasRoom: true if a stream is free and the peer and the channel take bytes.
    mutating func cycleEnded(answers: Int, unanswered: Int, hasRoom: Bool, at now: Uptime) -> Bool {
        lane.cycleEnded(
            answers: answers, unanswered: unanswered, canSubmit: hasRoom && rateLimit.pushesPerInterval == nil, at: now)
    }
}
