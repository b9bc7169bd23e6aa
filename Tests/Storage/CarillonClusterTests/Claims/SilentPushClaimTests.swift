import CarillonCore
import Testing

@testable import CarillonCluster

/// The one sender of the silent pushes of an app.
struct SilentPushClaimTests {
    private let a = SampleCluster.a.incarnation
    private let b = SampleCluster.b.incarnation
    private let live = SampleCluster.live

    @Test func `only the member that claimed first may claim more`() {
        #expect(SilentPushClaim.mayClaim(nil, by: a, among: live))
        let ofA = SilentPushClaim.afterClaim(nil, blocks: 2, by: a)
        #expect(SilentPushClaim.mayClaim(ofA, by: a, among: live))
        #expect(!SilentPushClaim.mayClaim(ofA, by: b, among: live))
    }

    @Test func `the claim ends with its last block`() throws {
        let twoBlocks = SilentPushClaim.afterClaim(nil, blocks: 2, by: a)
        let oneBlock = try #require(SilentPushClaim.afterBlockEnded(twoBlocks, by: a))
        #expect(oneBlock.blocks == 1)
        #expect(SilentPushClaim.afterBlockEnded(oneBlock, by: a) == nil)
        #expect(SilentPushClaim.afterBlockEnded(twoBlocks, by: b) == twoBlocks, "b holds none of them")
    }

    @Test func `another member may claim once the sender is over`() {
        let ofA = SilentPushClaim.afterClaim(nil, blocks: 2, by: a)
        var withoutA = live
        withoutA.apply(SampleCluster.entry(of: SampleCluster.b, .expired(SampleCluster.a)))
        #expect(SilentPushClaim.mayClaim(ofA, by: b, among: withoutA))
        #expect(SilentPushClaim.afterClaim(ofA, blocks: 1, by: b).blocks == 1)
    }
}
