import CarillonCore
import CarillonRegistry
import CarillonRegistryTestKit
import CarillonTestKit
import Testing

/// The random tests draw every kind of change.
struct LMDBRegistryRandomChangeTests {
    /// The kinds are tried against the reference alone, which is quick. A weight that is never drawn, or draws only
    /// what is refused, tests nothing.
    @Test func everyKindOfChangeOccursAndTakesEffect() {
        var applied: [RandomRun.ChangeKind: Int] = [:]
        for seed: UInt64 in 1...40 {
            var run = RandomRun(seed: seed)
            for _ in 1...20 {
                for (kind, change) in run.nextKindsAndChanges() {
                    if case .refused = run.reference.apply(change) { continue }
                    applied[kind, default: 0] += 1
                }
            }
        }
        for kind in RandomRun.ChangeKind.allCases { #expect(applied[kind, default: 0] > 0, "\(kind)") }
    }
}
