import CarillonClock
package import CarillonCore
package import NIOCore

/// An executor that runs the jobs of a ``NodeLoop`` one after the other, and has the clock of the node.
package protocol NodeExecutor: Sendable {
    /// The time of a monotonic clock. It may be read on any thread.
    var now: Uptime { get }

    /// Runs a job after all jobs that wait.
    func execute(_ job: @escaping @Sendable () -> Void)

    /// Runs a job after a time.
    ///
    /// - Returns: a function that cancels the job. Call it in a job.
    func schedule(
        afterMilliseconds milliseconds: UInt64, _ job: @escaping @Sendable () -> Void
    ) -> @Sendable () -> Void
}

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
