import CarillonCore
import CarillonSession

/// Requests of one client that were read together, and are run in one piece.
protocol RequestBatch {
    /// The requests that continue the batch.
    var kind: ServerSession.OpenBatch { get }
    /// True if another request may be added.
    var hasRoom: Bool { get }
    /// Adds the next request; returns false if the batch has ended.
    mutating func add(_ step: ServerSession.BatchStep) -> Bool
}

extension RequestBatch {
    /// Adds the requests at the front of `bytes` that continue the batch.
    ///
    /// - Returns: the number of bytes consumed.
    mutating func fill(
        from bytes: UnsafeRawBufferPointer, through session: inout ServerSession, at now: Moment
    ) -> Int {
        let kind = kind
        var offset = 0
        while hasRoom {
            let next = UnsafeRawBufferPointer(rebasing: bytes[offset...])
            let (consumed, step) = session.received(next, at: now, continuing: kind)
            guard add(step) else { break }
            offset += consumed
        }
        return offset
    }
}
