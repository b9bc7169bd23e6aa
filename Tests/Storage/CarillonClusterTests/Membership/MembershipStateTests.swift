import CarillonCore
import Testing

@testable import CarillonCluster

/// The membership of a node: joining, renewing and leaving.
struct MembershipStateTests {
    private var membership = MembershipState()
    private let member: Member
    private let query = HeadQuery(askedAt: 100, replicaPosition: 5)

    init() throws { member = Member(node: try #require(NodeName("a")), incarnation: 1) }

    /// Makes the node a member. The join is sent at 100 and succeeds at 110. The report that is due then is sent and
    /// answered.
    private mutating func join() {
        membership.beginJoin(query)
        _ = membership.endJoin()
        membership.nodeJoined(NodeIncarnation(member, times: LeaseTimes(), joinSentAt: 100, at: 110), at: 110)
        membership.beginRenewal(HeadQuery(askedAt: 110, replicaPosition: 5), at: 110)
        _ = membership.leaseRenewed()
    }

    @Test mutating func `a join that has failed is tried again later`() {
        #expect(membership.nextJoin(isAppending: false) == 0)
        membership.beginJoin(query)
        #expect(membership.nextJoin(isAppending: false) == nil)
        let sent = membership.endJoin()
        #expect(sent == query)
        membership.joinFailed(.fenced, retryAt: 300)
        #expect(membership.nextJoin(isAppending: false) == 300)
        #expect(membership.joinFailure == .fenced)
    }

    @Test mutating func `a node joins again when nothing of its last incarnation is under way`() {
        join()
        #expect(membership.nextJoin(isAppending: false) == nil)
        membership.beginRenewal(query, at: 120)
        let ended = membership.endIncarnation()
        #expect(ended == member)
        let endedAgain = membership.endIncarnation()
        #expect(endedAgain == nil)
        #expect(membership.nextJoin(isAppending: false) == nil)
        let renewed = membership.leaseRenewed()
        #expect(renewed == nil)
        #expect(membership.nextJoin(isAppending: true) == nil)
        #expect(membership.nextJoin(isAppending: false) != nil)
    }

    @Test mutating func `an expiry or a later join of its node ends the incarnation`() {
        join()
        let again = SampleCluster.member("a", 2)
        let other = SampleCluster.member("b", 9)
        let entries = [
            SampleCluster.entry(of: other, .expired(member)), SampleCluster.entry(of: again, .joined),
            SampleCluster.entry(of: other, .expired(other)), SampleCluster.entry(of: member, .joined),
            SampleCluster.entry(of: other, .joined), SampleCluster.entry(of: member, .left),
        ]
        var ends: [Bool] = []
        for entry in entries { ends.append(membership.isEnded(by: entry)) }
        #expect(ends == [true, true, false, false, false, false])
    }

    @Test mutating func `a node that leaves does not join`() {
        membership.leave(deadline: 500)
        #expect(membership.nextJoin(isAppending: false) == nil)
    }

    @Test mutating func `a node has left when it has applied its own entry`() {
        membership.leave(deadline: 500)
        #expect(!membership.hasLeft(applied: 7))
        membership.leavingAppended(at: 7)
        #expect(!membership.hasLeft(applied: 6))
        #expect(membership.hasLeft(applied: 7))
    }

    @Test mutating func `a later deadline replaces an earlier one and the position in the log stays`() {
        membership.leave(deadline: 500)
        membership.leavingAppended(at: 7)
        membership.leave(deadline: 600)
        #expect(membership.departure?.deadline == 600)
        #expect(membership.hasLeft(applied: 7))
    }

    @Test mutating func `progress is reported before the lease needs a renewal`() {
        join()
        #expect(membership.nextRenewal == 1_110)
        membership.reportSoon(minimumIntervalMilliseconds: 20, at: 115)
        #expect(membership.nextRenewal == 130)
        membership.reportSoon(minimumIntervalMilliseconds: 20, at: 200)
        #expect(membership.nextRenewal == 130)
        membership.beginRenewal(HeadQuery(askedAt: 140, replicaPosition: 5), at: 140)
        #expect(membership.nextRenewal == nil)
    }

    @Test mutating func `the lease counts from the renewal that succeeded`() {
        join()
        membership.beginRenewal(HeadQuery(askedAt: 1_000, replicaPosition: 6), at: 1_000)
        membership.renewalFailed(.unavailable(.none, "no answer"), at: 1_400)
        #expect(membership.living?.lease.inForceUntil == 4_110)
        membership.beginRenewal(HeadQuery(askedAt: 1_500, replicaPosition: 6), at: 1_500)
        let renewed = membership.leaseRenewed()
        #expect(renewed == HeadQuery(askedAt: 1_500, replicaPosition: 6))
        #expect(membership.living?.lease.inForceUntil == 5_500)
        _ = membership.endIncarnation()
        #expect(membership.living == nil)
        #expect(membership.incarnation?.lease.inForceUntil == nil)
    }
}
