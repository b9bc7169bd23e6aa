import CarillonClock
package import CarillonCore
package import NIOCore

/// Runs the jobs of a ``NodeLoop``, one after the other, and has the clock that the node goes by.
package protocol NodeExecutor: Sendable {
    /// The time, by a clock that is never set. May be asked on any thread.
    var now: Uptime { get }

    /// Runs a job after those that wait.
    func execute(_ job: @escaping @Sendable () -> Void)

    /// Runs a job when a time has passed.
    ///
    /// - Returns: cancels the job; to be called in a job.
    func execute(
        after milliseconds: UInt64, _ job: @escaping @Sendable () -> Void
    ) -> @Sendable () -> Void
}

/// Runs jobs on an event loop, by the monotonic clock of the machine.
package struct EventLoopExecutor: NodeExecutor {
    private let loop: any EventLoop

    /// Makes the executor of a loop.
    package init(_ loop: any EventLoop) { self.loop = loop }

    package var now: Uptime { Clock.uptime() }

    package func execute(_ job: @escaping @Sendable () -> Void) { loop.execute(job) }

    package func execute(
        after milliseconds: UInt64, _ job: @escaping @Sendable () -> Void
    ) -> @Sendable () -> Void {
        let scheduled = loop.scheduleTask(in: .milliseconds(Int64(clamping: milliseconds)), job)
        return { scheduled.cancel() }
    }
}
