import CarillonCore
import Testing

@testable import CarillonCluster

/// The start of a server with the directory of a node, in its cluster or alone.
struct StartRuleTests {
    private var live = LiveMembers()
    private var state = ReplicaState()

    @Test func aDirectoryThatWasInNoClusterServesAloneOrAsANode() {
        #expect(StartRule.decide(state, among: live, isInCluster: false) == .alone)
        #expect(StartRule.decide(state, among: live, isInCluster: true) == .node)
    }

    @Test mutating func aDirectoryOfAClusterServesAloneOnlyIfItsNodeWasTheLast() {
        live.apply(SampleCluster.entry(of: SampleCluster.a, .joined))
        live.apply(SampleCluster.entry(of: SampleCluster.b, .joined))
        live.apply(SampleCluster.entry(of: SampleCluster.a, sequence: 2, .left))
        (state.log, state.applied) = (SampleCluster.log, RunningHash(position: 3))
        guard case .refused(let text) = StartRule.decide(state, among: live, isInCluster: false) else {
            Issue.record("it serves although another node is live")
            return
        }
        #expect(text.contains("b/2"))
        live.apply(SampleCluster.entry(of: SampleCluster.b, sequence: 2, .left))
        #expect(StartRule.decide(state, among: live, isInCluster: false) == .alone)
    }

    @Test mutating func aDirectoryThatHasServedAloneSinceHasDataOfNoLog() {
        (state.log, state.applied) = (SampleCluster.log, RunningHash(position: 3))
        #expect(StartRule.separated(state).hasForeignData)
        #expect(StartRule.separated(state).log == nil)
    }
}
