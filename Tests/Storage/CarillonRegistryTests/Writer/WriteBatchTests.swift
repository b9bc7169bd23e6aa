import CarillonCore
import CarillonRegistryTestKit
import Testing

@testable import CarillonRegistry

/// The results that a batch gives its callers, and the results that do not belong to it.
struct WriteBatchTests {
    private let completions = Completions()

    /// Makes three submissions; the second is refused.
    private func batch() -> WriteBatch {
        let submissions = (1...3).map { number in
            Submission([.register(UInt8(number))], deadline: nil, completions.completion(number))
        }
        var batch = WriteBatch(submissions, startedAtNanoseconds: 0)
        var refusals: [RegistryError?] = [nil, .storageFull, nil]
        batch.admit { _ in refusals.removeFirst() }
        return batch
    }

    private let answer = WriteBatch.SubmissionResult.success(.changes([.refused(.notFound)]))

    @Test func `the results of a replay are those of the last mutations`() {
        var batch = batch()
        batch.set(answer, at: 0)
        let isComplete = batch.setLast([answer])
        #expect(isComplete)
        #expect(batch.isApplied)
        batch.answer(atMost: .max)
        #expect(
            completions.wait(3).map(\.result)
                == [.success([.refused(.notFound)]), .failure(.storageFull), .success([.refused(.notFound)])])
    }

    /// The changes of a result that is missing may be stored: no answer may say that they are not.
    @Test func `a result that is missing is noticed`() {
        for results in [[], [answer], [answer, answer, answer]] {
            var batch = batch()
            let isComplete = batch.setLast(results)
            #expect(!isComplete)
            #expect(!batch.isApplied)
        }
        var batch = batch()
        let isComplete = batch.setLast([answer, answer])
        #expect(isComplete)
    }

    /// A shared log may have other changes under the id of the batch.
    @Test func `a result of another mutation is noticed`() {
        let others: [MutationAnswer] = [.change(.refused(.notFound)), .swept(.complete), .changes([])]
        for other in others {
            var batch = batch()
            let isComplete = batch.setLast([answer, .success(other)])
            #expect(!isComplete, "\(other)")
            #expect(!batch.isApplied)
        }
    }

    @Test func `an answer that is unknown is never given`() async {
        await #expect(processExitsWith: .failure) {
            let submission = Submission([.register(1)], deadline: nil) { _ in }
            var batch = WriteBatch([submission], startedAtNanoseconds: 0)
            batch.admit { _ in nil }
            batch.answer(atMost: 1)
        }
    }
}
