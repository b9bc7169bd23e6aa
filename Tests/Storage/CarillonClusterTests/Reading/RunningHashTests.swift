import CarillonCore
import Testing

@testable import CarillonCluster

/// The hash by which nodes compare what they have applied.
struct RunningHashTests {
    private func hash(_ entries: [(LogPosition, [UInt8])]) -> UUIDBytes {
        entries.reduce(into: RunningHash()) { $0.entryApplied(at: $1.0, answers: $1.1[...]) }.value
    }

    @Test func `a running hash depends on positions, answers and their order`() {
        let all = [
            hash([]), hash([(1, [])]), hash([(2, [])]), hash([(1, [0])]), hash([(1, [0, 0])]),
            hash([(1, [1]), (2, [2])]),
            hash([(1, [2]), (2, [1])]), hash([(1, [1, 2]), (2, [])]), hash([(1, []), (2, [1, 2])]),
        ]
        #expect(Set(all).count == all.count)
    }

    @Test func `a running hash goes on from what was stored`() {
        var stored = RunningHash(position: 1, value: hash([(1, [1])]))
        stored.entryApplied(at: 2, answers: [2])
        #expect(stored.value == hash([(1, [1]), (2, [2])]))
    }
}
