import NIOCore

/// A timer of an event loop that is often moved to an earlier time and seldom fires. It is never moved to a later time:
/// it may fire too early.
final class RestartableTimer {
    private let eventLoop: any EventLoop
    private var scheduled: Scheduled<Void>?
    private var armedAt: UInt64?
    /// Called on the event loop when the timer fires.
    var action: () -> Void = {}

    init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    /// Fires at `uptime`, in milliseconds, at the latest; nil changes nothing.
    func arm(at uptime: UInt64?) {
        guard let uptime, uptime < 1 << 43 else { return }
        if let armedAt, armedAt <= uptime { return }
        scheduled?.cancel()
        armedAt = uptime
        let deadline = NIODeadline.uptimeNanoseconds(uptime * 1_000_000)
        scheduled = eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [weak self] in self?.fire() }
    }

    /// Disarms the timer.
    func cancel() {
        scheduled?.cancel()
        scheduled = nil
        armedAt = nil
    }

    private func fire() {
        scheduled = nil
        armedAt = nil
        action()
    }
}
