/// The point reads of one connection that wait, by what they wait for. Until they are answered, no more frames are
/// read.
enum WaitingPointReads {
    /// The reads wait until the writer has read them: no snapshot shows every answered change.
    case forWriter(PipelinedPointReads)
    /// The reads wait until the output is sent, or until the connection has its next turn.
    case forOutput(PipelinedPointReads)
}
