import CarillonClock
import CarillonCore
import CarillonProvider
import NIOCore

/// Checks whether one more connection of a group could send more (`ConnectionGrowthRule`).
///
/// The check is made when a connection reports that all of its streams are in use, and by a timer: if the answers come
/// together and seldom, no report comes when an interval ends. All calls are made on the pool's home event loop.
final class GrowthCheck {
    /// The connections that a group with enough work opens however busy its event loops are: the reserved one, and two
    /// for bulk, so that a fan-out goes on while the provider ends one of them.
    private static let minimumConnectionsUnderLoad = 3

    private let loop: any EventLoop
    private let processorTimes: () -> [ConnectionGrowthRule.ProcessorTime]
    private var growth = ConnectionGrowthRule()
    /// The time of the last report that all streams of a connection are in use.
    private var saturatedAt: Uptime = 0
    private var timer: Scheduled<Void>?

    /// Makes the check of a group without connections.
    ///
    /// - Parameter processorTimes: returns the times of the event loops whose connections carry bulk.
    init(on loop: any EventLoop, processorTimes: @escaping () -> [ConnectionGrowthRule.ProcessorTime]) {
        self.loop = loop
        self.processorTimes = processorTimes
    }

    /// True if more intervals decide.
    var isUndecided: Bool { growth.isUndecided }

    func connectionOpened() { growth.connectionOpened() }

    func connectionSaturated(at now: Uptime) { saturatedAt = now }

    /// Returns true if one connection more than `count` can send more.
    func permitsConnection(besides count: Int, at now: Uptime) -> Bool {
        count < Self.minimumConnectionsUnderLoad || growth.sampleAndDecide(at: now, times: processorTimes)
    }

    /// Calls `body` once no connection has reported for an interval. If such a call is scheduled already, a further one
    /// is left out.
    func schedule(_ body: @escaping (_ now: Uptime) -> Void) {
        guard timer == nil else { return }
        let milliseconds = ConnectionGrowthRule.intervalMilliseconds.lowerBound
        timer = loop.assumeIsolated().scheduleTask(in: .milliseconds(Int64(clamping: milliseconds))) {
            self.timer = nil
            let now = Clock.uptime()
            if now.milliseconds(since: self.saturatedAt) >= milliseconds { body(now) } else { self.schedule(body) }
        }
    }

    func cancel() { timer?.cancel() }
}
