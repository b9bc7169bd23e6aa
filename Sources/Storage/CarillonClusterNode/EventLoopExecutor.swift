import CarillonClock
package import CarillonCore
package import NIOCore

/// An executor that runs jobs on an event loop, by the monotonic clock of the machine.
package struct EventLoopExecutor: NodeExecutor {
    private let loop: any EventLoop

    package init(_ loop: any EventLoop) { self.loop = loop }

    package var now: Uptime { Clock.uptime() }

    package func execute(_ job: @escaping @Sendable () -> Void) { loop.execute(job) }

    package func schedule(
        afterMilliseconds milliseconds: UInt64, _ job: @escaping @Sendable () -> Void
    ) -> @Sendable () -> Void {
        let scheduled = loop.scheduleTask(in: .milliseconds(Int64(clamping: milliseconds)), job)
        return { scheduled.cancel() }
    }
}
