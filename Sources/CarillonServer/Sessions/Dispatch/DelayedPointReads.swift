/// The point reads of one connection that wait, for one of two reasons. Reading stops meanwhile.
enum DelayedPointReads {
    /// Until the writer has read them: no snapshot shows every answered change.
    case forRegistry(PointReadBatch)
    /// Until the output is sent, or the others have had their turn.
    case forOutput(PointReadBatch)
}
