package import CarillonCore

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
