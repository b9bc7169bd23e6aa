import CarillonCore
import CarillonLMDB

/// The stored part of an audience that is evaluated page by page while the message is sent.
struct LiveAudience: Hashable {
    /// The audience, which is neither a list of devices nor a channel.
    var audience: Audience
    /// The devices that are left out, ascending.
    var excluded: [DeviceID]
    /// The first device id that was not given yet when the message first went into the outbox; at acceptance while it
    /// is scheduled. Devices that register later are not addressed.
    var idBound: UInt64

    /// The number of chunks, from 0 on, that can have recipients.
    var chunkCount: UInt64 { (idBound + UInt64(ChunkBits.width) - 1) / UInt64(ChunkBits.width) }

    /// Removes the devices that are not addressed, whatever the condition says.
    func restrict(_ bits: inout ChunkBits, in chunk: ChunkNumber) {
        for id in excluded where id.chunk == chunk { bits.remove(id.offset) }
        guard UInt64(chunk) + 1 >= chunkCount else { return }
        for offset in bits where DeviceID(chunk: chunk, offset: offset).rawValue >= idBound { bits.remove(offset) }
    }
}

/// Evaluates a condition over the chunks of an app, in ascending order.
struct AudienceScan {
    private var evaluator: ConditionEvaluator
    private let postings: PostingScan

    fileprivate init(_ plan: ConditionPlan, over postings: PostingScan) {
        evaluator = ConditionEvaluator(plan)
        self.postings = postings
    }

    /// Returns the first chunk from `chunk` on that may have devices of the audience. `chunk` must not decrease from
    /// call to call.
    mutating func next(from chunk: ChunkNumber) throws -> ChunkNumber? {
        let postings = postings
        return try evaluator.nextCandidate(from: chunk) { index, chunk in try postings.next(index, from: chunk) }
    }

    /// Returns the devices of the audience in a chunk, which must not be before the last one.
    mutating func devices(in chunk: ChunkNumber) throws -> ChunkBits {
        let postings = postings
        _ = try evaluator.evaluate { index, bits in try postings.load(index, at: chunk, into: &bits) }
        return evaluator.result
    }

    /// Counts the devices of the audience, without the devices that `restrict` removes.
    mutating func count(_ restrict: (inout ChunkBits, ChunkNumber) -> Void = { _, _ in }) throws -> UInt64 {
        var count: UInt64 = 0
        var chunk: ChunkNumber? = 0
        while let from = chunk, let candidate = try next(from: from) {
            var bits = try devices(in: candidate)
            restrict(&bits, candidate)
            count += UInt64(bits.count)
            chunk = candidate < .max ? candidate + 1 : nil
        }
        return count
    }
}

extension Tables {
    /// Calls `body` with a scan of the audience of a condition as `transaction` sees it.
    ///
    /// - Parameter maximumSteps: the most times that the scan may look at a set in a chunk. After that it throws
    ///   ``PostingScan/LimitError``.
    func withScan<R>(
        of plan: ConditionPlan,
        app: AppNumber,
        maximumSteps: Int = .max,
        in transaction: borrowing some Transaction & ~Copyable,
        _ body: (inout AudienceScan) throws -> R
    ) throws -> R {
        let numbers = try plan.sets.map { try sets.get(SetLabel($0), app: app, in: transaction)?.number }
        return try transaction.withCursors(postings.database, count: numbers.count) { cursors in
            let postings = PostingScan(cursors, app: app, numbers: numbers, maximumSteps: maximumSteps)
            var scan = AudienceScan(plan, over: postings)
            return try body(&scan)
        }
    }
}
