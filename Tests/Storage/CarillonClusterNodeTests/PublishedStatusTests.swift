import CarillonCluster
import CarillonCore
import Testing

@testable import CarillonClusterNode

struct PublishedStatusTests {
    private static let ready = NodeLoop.Status(readiness: .ready, member: nil, applied: 7, lagEntries: 0)

    @Test func `a node may act until its time is over`() {
        let published = PublishedStatus(Self.ready)
        var answers = [published.mayAct(at: 0)]
        published.setMayActUntil(100)
        answers += [published.mayAct(at: 99), published.mayAct(at: 100)]
        published.setMayActUntil(nil)
        answers.append(published.mayAct(at: 99))
        #expect(answers == [false, true, false, false])
    }

    @Test func `a ready node is behind once it may not act`() {
        let published = PublishedStatus(Self.ready)
        published.setMayActUntil(100)
        let before = published.status(at: 40)
        let after = published.status(at: 100)
        #expect(before.readiness == .ready)
        #expect(before.remainingMilliseconds == 60)
        #expect(after.readiness == .behind)
        #expect(after.applied == 7)
    }
}
