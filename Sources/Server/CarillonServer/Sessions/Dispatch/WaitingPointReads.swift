/// The point reads of one connection that wait, by what must come first. Reading stops meanwhile.
enum WaitingPointReads {
    /// The reads wait until the writer has read them: no snapshot shows every answered change.
    case forWriter(PipelinedPointReads)
    /// The reads wait until the output is sent, or the others have had their turn.
    case forOutput(PipelinedPointReads)
}
