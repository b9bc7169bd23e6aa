import CarillonCore
import NIOCore

/// A timer of an event loop that fires at the earliest of the times for which it was armed. A later time does not move
/// it, so it may fire before anything is due.
final class EarliestDeadlineTimer {
    private let eventLoop: any EventLoop
    private var scheduled: Scheduled<Void>?
    private var armedAt: Uptime?
    /// Called on the event loop when the timer fires.
    var action: () -> Void = {}

    init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    /// A time that is centuries away. No timer is set for it or a later one, whose nanoseconds may be too many for
    /// SwiftNIO.
    private static let never = Uptime(milliseconds: 1 << 43)

    /// Lets the timer fire at `uptime` at the latest; nil changes nothing.
    func arm(at uptime: Uptime?) {
        guard let uptime, uptime < Self.never else { return }
        if let armedAt, armedAt <= uptime { return }
        scheduled?.cancel()
        armedAt = uptime
        let deadline = NIODeadline.uptimeNanoseconds(uptime.milliseconds * 1_000_000)
        scheduled = eventLoop.assumeIsolated().scheduleTask(deadline: deadline) { [weak self] in self?.fire() }
    }

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
