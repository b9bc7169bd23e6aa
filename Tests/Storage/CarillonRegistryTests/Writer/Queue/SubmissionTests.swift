import CarillonCore
import CarillonRegistryTestKit
import Testing

@testable import CarillonRegistry

/// The size that a change has in the queue of the writer.
struct SubmissionTests {
    /// A message with a condition counts as more bytes than it has, because the writer counts its audience. So a commit
    /// has few such messages, and does not take minutes.
    @Test func `the cost of counting an audience counts as bytes of the change`() throws {
        func bytes(_ audience: Audience, chunkCount: Int) -> Int {
            Submission(.accept(.sample(to: audience), now: timestamp(1)), deadline: nil, chunkCount: chunkCount) {
                _ in
            }
            .byteCount
        }
        let dense = Audience.condition(try Condition("'a' in topics || !('b' in topics && 'c' in topics)"))
        let message = bytes(dense, chunkCount: 0)
        // 16 bytes for each of the three sets in each chunk.
        #expect(bytes(dense, chunkCount: 100) - message == 100 * 3 * 16)
        // The writer counts in 2,048 steps at most.
        let maximum = LMDBRegistry.Options.defaultCountingSteps * 16
        #expect(bytes(dense, chunkCount: 1_000) - message == maximum)
        #expect(bytes(dense, chunkCount: .max) - message == maximum)
        #expect(bytes(.topic("a"), chunkCount: 1_000) == bytes(.topic("a"), chunkCount: 0))
    }
}
