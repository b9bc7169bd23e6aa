/// The action of the queue after a step of a job. If the job was over, its completion has been called.
enum QueueAction {
    case send(Pipeline)
    /// The job is made again from the start, after a pause.
    case again
    /// The completion was called.
    case finished
    /// The job does not handle the fault: the queue does what the fault means for any job.
    case unhandled
}
