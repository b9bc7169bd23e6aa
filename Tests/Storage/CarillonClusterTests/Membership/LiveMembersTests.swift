import CarillonCore
import Testing

@testable import CarillonCluster

/// The members that are live after each entry of the log.
struct LiveMembersTests {
    private let a = SampleCluster.a
    private let b = SampleCluster.b
    private let c = SampleCluster.c
    private var live = SampleCluster.live

    @Test mutating func `a member ends when it leaves`() {
        let ended = live.apply(SampleCluster.entry(of: a, .left))
        #expect(ended == [a])
        #expect(live.members == [b, c])
    }

    @Test mutating func `a member ends once when it is expired`() {
        let expiry = SampleCluster.entry(of: b, .expired(c))
        let ended = [live.apply(expiry), live.apply(expiry)]
        #expect(ended == [[c], []])
        #expect(live.members == [a, b])
    }

    @Test mutating func `a member ends when its node joins again`() {
        let again = SampleCluster.member("b", 4)
        let ended = live.apply(SampleCluster.entry(of: again, .joined))
        #expect(ended == [b])
        #expect(live.members == [a, c, again])
        #expect([1, 2, 3, 4, 5].map { live.isLive($0) } == [true, false, true, true, false])
    }

    @Test mutating func `the oldest member is the one that joined first`() {
        #expect(live.oldest == a)
        live.apply(SampleCluster.entry(of: SampleCluster.member("a", 4), .joined))
        #expect(live.oldest == b)
        #expect(LiveMembers().oldest == nil)
    }
}
