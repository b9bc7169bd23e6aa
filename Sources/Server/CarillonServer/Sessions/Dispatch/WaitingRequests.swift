import CarillonSession
import CarillonWire

/// The requests of one connection that were read and wait: point reads, the changes after them, and long reads.
///
/// While point reads wait, no more frames are read. The changes that were read with them are submitted after them.
struct WaitingRequests {
    /// The long reads, which are read one at a time.
    var longReads = LongReadQueue()
    private var pointReads: WaitingPointReads?
    private var changes: PipelinedChanges?

    var havePointReads: Bool { pointReads != nil }

    /// True if point reads wait for the output to be sent, or for a turn.
    var havePointReadsForOutput: Bool {
        if case .forOutput = pointReads { true } else { false }
    }

    /// Adds point reads. There must be no others.
    mutating func add(_ pointReads: WaitingPointReads) { self.pointReads = pointReads }

    /// Adds changes, which wait until the point reads that were read with them are answered.
    mutating func add(_ changes: PipelinedChanges) { self.changes = changes.isEmpty ? nil : changes }

    /// Removes and returns the point reads that wait for the output to be sent, or for a turn; nil if there are none.
    mutating func takePointReadsForOutput() -> PipelinedPointReads? {
        guard case .forOutput(let reads) = pointReads else { return nil }
        pointReads = nil
        return reads
    }

    /// Removes and returns the point reads that wait for the registry's writer; nil if there are none.
    mutating func takePointReadsForWriter() -> PipelinedPointReads? {
        guard case .forWriter(let reads) = pointReads else { return nil }
        pointReads = nil
        return reads
    }

    /// Removes and returns the changes; nil if there are none.
    mutating func takeChanges() -> PipelinedChanges? { changes.take() }

    /// Answers the point reads and the changes that wait with an error. Removes the long reads that wait, not the one
    /// that is running, and returns their ids: the caller answers them.
    mutating func refuse(_ error: RequestError, in session: inout ServerSession) -> [UInt64] {
        switch pointReads.take() {
        case .forWriter(var reads), .forOutput(var reads): reads.refuse(error, in: &session)
        case nil: break
        }
        changes.take()?.refuseAll(error, in: &session)
        return longReads.removeWaiting()
    }

    /// Forgets all requests that wait, because the session has ended.
    mutating func removeAll() {
        _ = longReads.removeWaiting()
        pointReads = nil
        changes = nil
    }
}
