import NIOCore

/// A timer of an event loop that is put forward often and seldom fires: it is never put back, it may fire too early.
final class RestartableTimer {
    private let eventLoop: any EventLoop
    private var scheduled: Scheduled<Void>?
    private var armedAt: UInt64?
    /// What happens; called on the event loop.
    var action: () -> Void = {}

    init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    /// Milliseconds of a clock that never goes back.
    static var now: UInt64 { NIODeadline.now().uptimeNanoseconds / 1_000_000 }

    /// Fires at `uptime` at the latest; nothing leaves it as it is.
    func arm(at uptime: UInt64?) {
        guard let uptime, uptime < 1 << 43 else { return }
        if let armedAt, armedAt <= uptime { return }
        scheduled?.cancel()
        armedAt = uptime
        let deadline = NIODeadline.uptimeNanoseconds(uptime * 1_000_000)
        scheduled = eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [weak self] in self?.fire() }
    }

    /// Forgets what it was armed for.
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
