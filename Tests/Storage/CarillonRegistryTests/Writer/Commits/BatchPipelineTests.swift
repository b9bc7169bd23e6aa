import CarillonCore
import CarillonRegistryTestKit
import Testing

@testable import CarillonRegistry

/// The submissions that were dequeued and are not answered.
struct BatchPipelineTests {
    private let completions = Completions()
    private var pipeline = BatchPipeline()

    private func submission(_ number: Int) -> Submission {
        Submission([.register(UInt8(number))], deadline: nil, completions.completion(number))
    }

    /// Makes a batch of one change, whose record has this number.
    private func batch(_ number: Int, record: UInt64? = nil) -> WriteBatch {
        var batch = WriteBatch([submission(number)], startedAtNanoseconds: 0)
        batch.admit { _ in nil }
        batch.walRange = record.map { lsn in
            let position = WALPosition(lsn: lsn)
            return WriteBatch.WALRange(before: position, after: position)
        }
        return batch
    }

    private let answer = WriteBatch.SubmissionResult.success(.changes([.refused(.notFound)]))

    @Test mutating func `submissions are kept until they are a batch`() {
        #expect(pipeline.next == nil)
        pipeline.submissionsDequeued([submission(1)])
        guard case .logBatch(let submissions)? = pipeline.next else {
            Issue.record("nothing is kept")
            return
        }
        #expect(submissions.count == 1)
        pipeline.setBatch(batch(1))
        #expect(pipeline.next == nil)
        #expect(!pipeline.batch.isAnswered)
        pipeline.batchAnswered()
        #expect(pipeline.batch.isAnswered)
    }

    @Test mutating func `a prepared batch follows the one that is applied`() {
        pipeline.setBatch(batch(1, record: 1))
        pipeline.setPreparedBatch(batch(2, record: 1))
        pipeline.recordAppended(through: WALPosition(lsn: 2))
        #expect(pipeline.firstUnansweredLSN == 1)
        pipeline.batchAnswered()
        #expect(pipeline.firstUnansweredLSN == 2)
        pipeline.promotePreparedBatch()
        #expect(pipeline.batch.walRange?.after == WALPosition(lsn: 2))
        #expect(pipeline.batch.walRange?.before == WALPosition(lsn: 1))
    }

    @Test mutating func `a replay has the results of both batches`() {
        pipeline.setBatch(batch(1, record: 1))
        pipeline.setPreparedBatch(batch(2, record: 2))
        let missing = pipeline.setReplayed([1: [answer], 2: [answer]])
        #expect(missing == nil)
        #expect(pipeline.batch.isApplied)
        pipeline.promotePreparedBatch()
        #expect(pipeline.batch.isApplied)
    }

    @Test(
        arguments: [
            (counts: [2: 1], missing: 1), (counts: [1: 1], missing: 2), (counts: [1: 2, 2: 1], missing: 1),
        ] as [(counts: [UInt64: Int], missing: UInt64)])
    mutating func `a record whose results are not those of its batch is named`(counts: [UInt64: Int], missing: UInt64) {
        pipeline.setBatch(batch(1, record: 1))
        pipeline.setPreparedBatch(batch(2, record: 2))
        let found = pipeline.setReplayed(counts.mapValues { Array(repeating: answer, count: $0) })
        #expect(found == missing)
    }

    /// A batch has no record if none of it is admitted.
    @Test mutating func `a batch without a record needs no results`() {
        pipeline.setPreparedBatch(batch(1))
        #expect(pipeline.firstUnansweredLSN == nil)
        let missing = pipeline.setReplayed([:])
        #expect(missing == nil)
    }

    @Test mutating func `submissions without an answer fail at the end`() {
        pipeline.setBatch(batch(1, record: 1))
        pipeline.setPreparedBatch(batch(2, record: 2))
        pipeline.fail(.closed)
        #expect(completions.wait(2).map(\.result) == [.failure(.closed), .failure(.closed)])
        pipeline.submissionsDequeued([submission(3)])
        pipeline.fail(.closed)
        #expect(completions.wait().map(\.number) == [1, 2, 3])
    }
}
