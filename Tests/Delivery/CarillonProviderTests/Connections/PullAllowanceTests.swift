import CarillonCore
import CarillonProvider
import Testing

/// The pushes that a connection may pull in one cycle.
struct PullAllowanceTests {
    private func allowance(
        room: Int = 100, permitted: Int = 100, bulk: Bool = true, left: Bool = false, reserved: Int = 10
    ) -> PullAllowance {
        PullAllowance(
            streamRoom: room, permitted: permitted, carriesBulk: bulk, isInteractiveLeft: left,
            reservedStreams: reserved)
    }

    private func limits(_ allowance: PullAllowance) -> [Int] {
        [allowance.limits.all, allowance.limits.interactive, allowance.limits.bulk]
    }

    @Test func `bulk leaves the reserved streams to the interactive lane`() {
        #expect(limits(allowance()) == [100, 100, 90])
        #expect(limits(allowance(room: 5)) == [5, 5, 0])
    }

    @Test func `a quota bounds both lanes`() {
        #expect(limits(allowance(permitted: 30)) == [30, 30, 30])
        #expect(limits(allowance(permitted: 95)) == [95, 95, 90])
        #expect(limits(allowance(permitted: 1_000)) == [100, 100, 90], "there are no more streams")
    }

    @Test func `a connection pulls nothing of a lane that others carry`() {
        #expect(limits(allowance(bulk: false)) == [100, 100, 0])
        #expect(limits(allowance(left: true)) == [100, 0, 90])
    }

    @Test func `another connection is wanted when no streams are left`() {
        #expect(!allowance().wantsAnotherConnection(pulled: 89))
        #expect(allowance().wantsAnotherConnection(pulled: 90))
        #expect(!allowance(bulk: false).wantsAnotherConnection(pulled: 99))
        #expect(allowance(bulk: false).wantsAnotherConnection(pulled: 100))
        #expect(allowance(room: 5).wantsAnotherConnection(pulled: 1), "only one stream is left beside the reserved")
    }

    @Test func `a used quota wants no other connection`() {
        #expect(!allowance(permitted: 30).wantsAnotherConnection(pulled: 30))
    }
}
