import NIOCore

/// The timers of one connection: the checks of its deadlines, and the time at which the quota has room again. All calls
/// are made on the connection's event loop.
final class ConnectionTimers {
    /// The interval at which deadlines are checked: they are seconds, so a quarter of one is fine enough.
    private static let checkInterval = TimeAmount.milliseconds(250)

    private let loop: any EventLoop
    private var deadlineChecks: RepeatedTask?
    private var quotaTimer: Scheduled<Void>?

    init(on loop: any EventLoop) {
        self.loop = loop
    }

    /// Calls `body` every quarter of a second from now on.
    func startDeadlineChecks(_ body: @escaping () -> Void) {
        let bound = NIOLoopBound(body, eventLoop: loop)
        deadlineChecks = loop.scheduleRepeatedTask(initialDelay: Self.checkInterval, delay: Self.checkInterval) { _ in
            bound.value()
        }
    }

    /// Calls `body` when the quota has room again. One call at a time is scheduled: a further one is left out.
    func awaitQuota(milliseconds: UInt64, _ body: @escaping () -> Void) {
        guard quotaTimer == nil else { return }
        quotaTimer = loop.assumeIsolated().scheduleTask(in: .milliseconds(Int64(clamping: max(1, milliseconds)))) {
            self.quotaTimer = nil
            body()
        }
    }

    /// Stops both timers, and releases what their bodies hold.
    func cancel() {
        deadlineChecks?.cancel()
        deadlineChecks = nil
        quotaTimer?.cancel()
        quotaTimer = nil
    }
}
