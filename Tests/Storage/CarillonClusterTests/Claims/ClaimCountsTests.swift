import CarillonCore
import Testing

@testable import CarillonCluster

struct ClaimCountsTests {
    @Test func `claims are counted by the members that live`() {
        let a = SampleCluster.a.incarnation
        let b = SampleCluster.b.incarnation
        let c = SampleCluster.c.incarnation
        var live = SampleCluster.live
        var whole = MessageClaims.ofWholeMessage
        _ = whole.claim(1, by: a, among: live)
        var shared = MessageClaims(pageCount: 10, hasOneSender: false)
        _ = shared.claim(4, by: a, among: live)
        _ = shared.claim(2, by: b, among: live)
        _ = shared.claim(1, by: a, among: live)
        _ = shared.claim(3, by: c, among: live)
        _ = shared.releaseBlock(at: 4, by: b)
        live.apply(SampleCluster.entry(of: SampleCluster.b, .expired(SampleCluster.c)))

        var counts = ClaimCounts(live)
        counts.add(whole)
        counts.add(shared)
        #expect(counts[a].messages == 2)
        #expect(counts[a].blocks == 2)
        #expect(counts[a].pages == 5)
        #expect(counts[b] == ClaimCounts.Count(), "it has released its block")
        #expect(counts[c] == ClaimCounts.Count(), "it is over")
    }
}
