import CarillonCore
import Testing

@testable import CarillonCluster

/// The start of a server with the directory of a node, in its cluster or alone.
struct StartRuleTests {
    private var live = LiveMembers()
    private var state = ReplicaState()

    @Test func `a directory that was in no cluster serves alone or as a node`() {
        #expect(StartRule.decide(state, among: live, isInCluster: false) == .alone)
        #expect(StartRule.decide(state, among: live, isInCluster: true) == .node)
    }

    @Test mutating func `a directory of a cluster serves alone only if its node was the last`() {
        live.apply(SampleCluster.entry(of: SampleCluster.a, .joined))
        live.apply(SampleCluster.entry(of: SampleCluster.b, .joined))
        live.apply(SampleCluster.entry(of: SampleCluster.a, sequence: 2, .left))
        state.log = SampleCluster.log
        state.applied = RunningHash(position: 3)
        let refusal = StartRule.decide(state, among: live, isInCluster: false).refusal
        #expect(refusal?.contains("b/2") == true)
        live.apply(SampleCluster.entry(of: SampleCluster.b, sequence: 2, .left))
        #expect(StartRule.decide(state, among: live, isInCluster: false) == .alone)
    }

    @Test mutating func `a directory that has served alone since has data of no log`() {
        state.log = SampleCluster.log
        state.applied = RunningHash(position: 3)
        #expect(StartRule.separated(state).hasForeignData)
        #expect(StartRule.separated(state).log == nil)
    }
}

extension StartRule.Decision {
    /// The reason why the server does not start; nil if it starts.
    fileprivate var refusal: String? { if case .refused(let text) = self { text } else { nil } }
}
