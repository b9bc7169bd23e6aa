import CarillonCore
import Testing

@testable import CarillonCluster

/// Other nodes are expired after they have been silent.
struct ExpiryRuleTests {
    private let a = SampleCluster.a
    private let b = SampleCluster.b
    private let c = SampleCluster.c

    private func node(_ member: Member, renewals: UInt64 = 1, isLive: Bool = true) -> NodeStatus {
        SampleCluster.node(member, renewals: renewals, isLive: isLive)
    }

    private func view(_ nodes: NodeStatus...) -> ClusterView { SampleCluster.view(nodes) }

    @Test func `a node is expired after its lease and the margin without a renewal`() {
        var rule = ExpiryRule(member: a, times: SampleCluster.times)
        rule.viewReceived(view(node(a), node(b, renewals: 3)), at: 100)
        rule.viewReceived(view(node(a), node(b, renewals: 3)), at: 3_000)
        #expect(rule.nextCheck == 5_100)
        #expect(rule.expirableMembers(at: 5_099).isEmpty)
        let silent = rule.expirableMembers(at: 5_100)
        #expect(silent.map(\.member) == [b])
        #expect(silent.first?.silence == RequiredSilence(renewals: 3, milliseconds: 5_000))
    }

    @Test func `a renewal begins the observation again`() {
        var rule = ExpiryRule(member: a, times: SampleCluster.times)
        rule.viewReceived(view(node(b, renewals: 3)), at: 0)
        rule.viewReceived(view(node(b, renewals: 4)), at: 4_999)
        #expect(rule.expirableMembers(at: 9_998).isEmpty)
        #expect(rule.expirableMembers(at: 9_999).count == 1)
        // A log database that has lost the last renewals in a crash shows a lower number. It is another number too, so
        // the observation begins again.
        rule.viewReceived(view(node(b, renewals: 2)), at: 9_999)
        #expect(rule.expirableMembers(at: 14_998).isEmpty)
        rule.expiryRefused(of: b, at: 14_999)
        #expect(rule.expirableMembers(at: 14_999).isEmpty)
        #expect(rule.expirableMembers(at: 19_999).count == 1)
    }

    @Test func `a node that is over or joins again is not expired`() {
        var rule = ExpiryRule(member: a, times: SampleCluster.times)
        rule.viewReceived(view(node(a), node(b), node(c)), at: 0)
        let again = SampleCluster.member("c", 9)
        rule.viewReceived(view(node(a), node(b, isLive: false), node(again)), at: 4_000)
        #expect(rule.expirableMembers(at: 8_999).isEmpty)
        #expect(rule.expirableMembers(at: 9_000).map(\.member) == [again])
    }
}
