import CarillonCore
import CarillonSession

/// Requests of one kind that were read from one client together, and are run together.
protocol PipelinedRequests {
    var kind: ServerSession.Pipeline { get }
    /// True if another request may be added.
    var hasRoom: Bool { get }
    /// Adds the request of the step. Returns false if the step has none of this kind: the pipeline has ended.
    mutating func addIfSameKind(_ step: ServerSession.PipelineStep) -> Bool
}

extension PipelinedRequests {
    /// Adds the requests at the front of `bytes` that continue the pipeline.
    ///
    /// - Returns: the number of bytes consumed.
    mutating func extend(
        from bytes: UnsafeRawBufferPointer, through session: inout ServerSession, at now: Moment
    ) -> Int {
        let kind = kind
        var offset = 0
        while hasRoom {
            let next = UnsafeRawBufferPointer(rebasing: bytes[offset...])
            let (consumed, step) = session.received(next, at: now, continuing: kind)
            guard addIfSameKind(step) else { break }
            offset += consumed
        }
        return offset
    }
}
