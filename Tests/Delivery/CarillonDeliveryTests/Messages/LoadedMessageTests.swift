import CarillonCore
import Testing

@testable import CarillonDelivery

/// The state of a message: its pages, and how it leaves the memory.
struct LoadedMessageTests {
    private static let now = Moment(wall: Timestamp(milliseconds: 1_790_000_000_000), uptime: 500_000)
    private let limits = DeliveryEngine.Limits()

    private func makeMessage(pace: UInt32? = nil, isLive: Bool = false) -> LoadedMessage {
        var outbound = OutboundMessage(
            id: MessageID(rawValue: 1),
            content: MessageContent(app: EngineHarness.app, pushType: .alert, payload: Array("{}".utf8)),
            sendableSince: Self.now.wall, notAfter: nil, lane: .bulk)
        outbound.pace = pace
        outbound.isLive = isLive
        return LoadedMessage(outbound, notAfter: nil, at: Self.now)
    }

    @Test func `a message waits for one page at a time`() {
        var message = makeMessage()
        let begun = [message.beginWaitingForPage(limits), message.beginWaitingForPage(limits)]
        #expect(begun == [true, false])
        let first = message.takeTurnToRead(limits)
        #expect(first?.page == 0)
        #expect(first?.wasSuspended == false)
        // The read is under way.
        #expect(!message.isWaitingForPage)
        let second = message.takeTurnToRead(limits)
        #expect(second?.page == nil)
    }

    @Test func `a suspended page is read before the next one`() {
        var message = makeMessage()
        _ = message.takeTurnToRead(limits)
        message.endReadOfNextPage()
        _ = message.open(0, from: 0, isLast: false)
        message.suspend(0, until: 600_000)
        let requested = [message.requestDuePage(0), message.requestDuePage(0), message.requestDuePage(1)]
        #expect(requested == [true, true, false])
        let turn = message.takeTurnToRead(limits)
        #expect(turn?.page == 0)
        #expect(turn?.wasSuspended == true)
        #expect(message.rereadPages == [0])
        #expect(message.suspendedPages == [])
        #expect(Array(message.duePages) == [])
        // The next page may be read as well.
        #expect(message.isWaitingForPage)
    }

    @Test func `a page that is closed is not due`() {
        var message = makeMessage()
        _ = message.open(0, from: 0, isLast: true)
        message.suspend(0, until: 600_000)
        _ = message.requestDuePage(0)
        message.close(0)
        #expect(Array(message.duePages) == [])
        #expect(message.isDone)
    }

    @Test func `a suspended message may leave until a recipient is due`() {
        var message = makeMessage()
        _ = message.open(0, from: 0, isLast: true)
        #expect(message.rereadTimeIfRemoved(at: Self.now) == nil, "its page is in memory")
        message.suspend(0, until: 600_000)
        #expect(message.rereadTimeIfRemoved(at: Self.now) == 600_001)
    }

    @Test func `a suspended message with a pace stays`() {
        var message = makeMessage(pace: 10)
        _ = message.open(0, from: 0, isLast: true)
        message.suspend(0, until: 600_000)
        #expect(message.isSuspended)
        #expect(message.rereadTimeIfRemoved(at: Self.now) == nil)
    }

    @Test func `a live message is finished when it leaves the memory unless a recipient is pending`() {
        var message = makeMessage(isLive: true)
        #expect(message.isFinishedOnRemoval)
        message.recipientKeptOnDisk(in: nil)
        #expect(!message.isFinishedOnRemoval)
        #expect(!makeMessage(isLive: false).isFinishedOnRemoval, "the last outcome finishes it")
    }

    @Test func `a message that leaves comes back cancelled`() {
        var message = makeMessage()
        message.cancel()
        #expect(message.returning == nil)
        message.unload(returning: nil)
        message.cancel()
        #expect(message.returning?.value.isCancelled == true)
    }

    @Test func `a pace of ten allows one delivery at once`() {
        var message = makeMessage(pace: 10)
        let taken = [message.takePace(at: 500_000), message.takePace(at: 500_000), message.takePace(at: 500_100)]
        #expect(taken == [true, false, true])
        #expect(message.paceWaitMilliseconds == 100)
        message.setPace(nil, at: Self.now)
        #expect(!message.isPaced)
        #expect(message.paceWaitMilliseconds == nil)
    }
}
