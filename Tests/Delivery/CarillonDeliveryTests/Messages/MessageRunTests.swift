import CarillonCore
import Testing

@testable import CarillonDelivery

/// The state of a message: its pages, and how it leaves the memory.
struct MessageRunTests {
    private static let now = Moment(wall: Timestamp(milliseconds: 1_790_000_000_000), uptime: 500_000)
    private let limits = DeliveryEngine.Limits()

    private func run(pace: UInt32? = nil, isLive: Bool = false) -> MessageRun {
        var outbound = OutboundMessage(
            id: MessageID(rawValue: 1),
            content: MessageContent(app: EngineHarness.app, pushType: .alert, payload: Array("{}".utf8)),
            sendableSince: Self.now.wall, notAfter: nil, lane: .bulk)
        (outbound.pace, outbound.isLive) = (pace, isLive)
        return MessageRun(outbound, notAfter: nil, at: Self.now)
    }

    @Test func aMessageWaitsForOnePageAtATime() {
        var run = run()
        let begun = [run.beginWaitingForPage(limits), run.beginWaitingForPage(limits)]
        #expect(begun == [true, false])
        let first = run.takeTurnToRead(limits)
        #expect(first?.page == 0)
        #expect(first?.wasSuspended == false)
        // The read is under way.
        #expect(!run.isWaitingForPage)
        let second = run.takeTurnToRead(limits)
        #expect(second?.page == nil)
    }

    @Test func aSuspendedPageIsReadBeforeTheNextOne() {
        var run = run()
        _ = run.takeTurnToRead(limits)
        run.endReadOfNextPage()
        _ = run.open(0, from: 0, isLast: false)
        run.suspend(0, until: 600_000)
        let requested = [run.requestDuePage(0), run.requestDuePage(0), run.requestDuePage(1)]
        #expect(requested == [true, true, false])
        let turn = run.takeTurnToRead(limits)
        #expect(turn?.page == 0)
        #expect(turn?.wasSuspended == true)
        #expect(run.rereadPages == [0])
        #expect(run.suspendedPages == [])
        #expect(Array(run.duePages) == [])
        // The next page may be read as well.
        #expect(run.isWaitingForPage)
    }

    @Test func aPageThatIsClosedIsNotDue() {
        var run = run()
        _ = run.open(0, from: 0, isLast: true)
        run.suspend(0, until: 600_000)
        _ = run.requestDuePage(0)
        run.close(0)
        #expect(Array(run.duePages) == [])
        #expect(run.isDone)
    }

    @Test func aSuspendedMessageMayLeaveUntilARecipientIsDue() {
        var run = run()
        _ = run.open(0, from: 0, isLast: true)
        #expect(run.rereadTimeIfRemoved(at: Self.now) == nil, "its page is in memory")
        run.suspend(0, until: 600_000)
        #expect(run.rereadTimeIfRemoved(at: Self.now) == 600_001)
    }

    @Test func aSuspendedMessageWithAPaceStays() {
        var run = run(pace: 10)
        _ = run.open(0, from: 0, isLast: true)
        run.suspend(0, until: 600_000)
        #expect(run.isSuspended)
        #expect(run.rereadTimeIfRemoved(at: Self.now) == nil)
    }

    @Test func aRunFinishesALiveMessageUnlessARecipientIsLeft() {
        var run = run(isLive: true)
        #expect(run.finishesMessage)
        run.leaveIncomplete(nil)
        #expect(!run.finishesMessage)
        #expect(!self.run(isLive: false).finishesMessage, "the last outcome finishes it")
    }

    @Test func aMessageThatLeavesComesBackCancelled() {
        var run = run()
        run.cancel()
        #expect(run.returning == nil)
        run.unload(returning: nil)
        run.cancel()
        #expect(run.returning?.value.isCancelled == true)
    }

    @Test func aPaceOfTenAllowsOneDeliveryAtOnce() {
        var run = run(pace: 10)
        let taken = [run.takePace(at: 500_000), run.takePace(at: 500_000), run.takePace(at: 500_100)]
        #expect(taken == [true, false, true])
        #expect(run.paceWaitMilliseconds == 100)
        run.setPace(nil, at: Self.now)
        #expect(!run.isPaced)
        #expect(run.paceWaitMilliseconds == nil)
    }
}
