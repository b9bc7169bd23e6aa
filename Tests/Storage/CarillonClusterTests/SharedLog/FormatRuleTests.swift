import CarillonCore
import Testing

@testable import CarillonCluster

/// The format in which entries are written: the newest that every live node can read.
struct FormatRuleTests {
    private let newest = SampleCluster.node(SampleCluster.a, format: 3)

    @Test func `a new format is written once every live node knows that format`() {
        let older = SampleCluster.node(SampleCluster.b, format: 2)
        let over = SampleCluster.node(SampleCluster.c, format: 1, isLive: false)
        #expect(FormatRule.formatToWrite(SampleCluster.view([newest, older, over]), newestKnown: 3, current: 1) == 2)
        #expect(FormatRule.formatToWrite(SampleCluster.view([newest, over]), newestKnown: 3, current: 1) == 3)
        #expect(FormatRule.formatToWrite(SampleCluster.view([]), newestKnown: 3, current: 1) == 3)
    }

    @Test func `a node that has just joined does not change the format`() {
        let joined = SampleCluster.node(SampleCluster.b, format: 0)
        #expect(FormatRule.formatToWrite(SampleCluster.view([newest, joined]), newestKnown: 3, current: 2) == 2)
    }
}
