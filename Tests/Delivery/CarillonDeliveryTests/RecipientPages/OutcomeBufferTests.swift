import CarillonCore
import Testing

@testable import CarillonDelivery

/// The bound on what a crash may repeat, and the outcomes that are buffered as far as the bound allows. Here the bound
/// is 64.
struct OutcomeBufferTests {
    private let start = Moment(wall: Timestamp(milliseconds: 1_790_000_000_000), uptime: 1_000)

    private func buffer(flushThreshold: Int = 4_096) -> OutcomeBuffer {
        var limits = DeliveryEngine.Limits()
        limits.unrecordedDeliveries = 64
        limits.bufferMilliseconds = 100
        limits.flushThreshold = flushThreshold
        return OutcomeBuffer(limits: limits)
    }

    private func key(_ message: UInt64, _ page: UInt32 = 0) -> PageKey {
        PageKey(message: MessageID(rawValue: message), page: page)
    }

    private func delivered(_ count: UInt16) -> OutcomeRecord {
        OutcomeRecord(
            message: MessageID(rawValue: 1), page: 0,
            endedRecipients: (0..<count).map { OutcomeRecord.EndedRecipient(position: $0, outcome: .delivered) })
    }

    /// Adds outcomes one by one until they are to be written; returns the number that is not on disk then, and nil if
    /// more than the bound would be buffered.
    private func buffered(_ buffer: inout OutcomeBuffer) -> Int? {
        for _ in buffer.unrecorded..<64 {
            buffer.addUnrecorded(1)
            buffer.scheduleWrite(of: key(1), isUrgent: false, at: start)
            if buffer.hasDirtyPages { return buffer.unrecorded }
        }
        return nil
    }

    @Test func anEighthOfTheBoundIsKeptForTheInteractiveLane() {
        var buffer = buffer()
        #expect(Lane.allCases.map { buffer.room(for: $0) }.sorted() == [56, 64])
        buffer.deliveriesHandedOut(50)
        buffer.addUnrecorded(1)
        buffer.deliveriesReturned(1)
        #expect(buffer.room(for: .interactive) == 14)
        #expect(buffer.room(for: .bulk) == 6)
        buffer.deliveriesHandedOut(6)
        #expect(buffer.isNearlyFull)
        #expect(!buffer.isFull)
        #expect(buffer.room(for: .bulk) == 0)
    }

    @Test func onlyOutcomesFillTheBound() {
        var buffer = buffer()
        buffer.deliveriesHandedOut(64)
        #expect(!buffer.isFull)
        buffer.addUnrecorded(64)
        #expect(buffer.isFull)
    }

    @Test func outcomesAreBufferedForTheirTime() {
        var buffer = buffer()
        buffer.addUnrecorded(1)
        buffer.scheduleWrite(of: key(2), isUrgent: false, at: start)
        buffer.scheduleWrite(of: key(1, 4), isUrgent: false, at: Moment(wall: start.wall, uptime: 1_050))
        #expect(!buffer.hasDirtyPages)
        #expect(buffer.bufferedUntil == 1_100)
        buffer.timerFired(at: Moment(wall: start.wall, uptime: 1_099))
        #expect(buffer.takeDirtyPages() == [])
        buffer.timerFired(at: Moment(wall: start.wall, uptime: 1_100))
        #expect(buffer.takeDirtyPages() == [key(1, 4), key(2)])
        #expect(!buffer.hasDirtyPages)
        #expect(buffer.bufferedUntil == nil)
    }

    @Test func anUrgentOutcomeIsWrittenAtTheEndOfTheCall() {
        var buffer = buffer()
        buffer.addUnrecorded(1)
        buffer.scheduleWrite(of: key(1), isUrgent: true, at: start)
        #expect(buffer.bufferedUntil == nil)
        #expect(buffer.takeDirtyPages() == [key(1)])
    }

    @Test func noOutcomeIsBufferedOnceTheBulkLaneGetsNoWork() {
        var buffer = buffer()
        buffer.deliveriesHandedOut(56)
        buffer.scheduleWrite(of: key(1), isUrgent: false, at: start)
        #expect(buffer.takeDirtyPages() == [key(1)])
    }

    /// The limit, the deliveries in flight, and what is buffered then: five eighths of the room of the bulk lane.
    struct Bound: CustomTestStringConvertible {
        let limit: Int
        var inFlight = 0
        let buffered: Int

        var testDescription: String { "a limit of \(limit), \(inFlight) in flight" }
    }

    @Test(
        arguments: [
            Bound(limit: 1, buffered: 16),
            Bound(limit: 15, buffered: 16),
            Bound(limit: 30, buffered: 30),
            Bound(limit: 4_096, buffered: 35),
            Bound(limit: 4_096, inFlight: 16, buffered: 25),
            Bound(limit: 20, inFlight: 16, buffered: 20),
            Bound(limit: 4_096, inFlight: 32, buffered: 16),
        ])
    func atLeastAQuarterOfTheBoundIsBuffered(_ bound: Bound) {
        var buffer = buffer(flushThreshold: bound.limit)
        buffer.deliveriesHandedOut(bound.inFlight)
        #expect(buffered(&buffer) == bound.buffered)
    }

    @Test func outcomesThatAreBeingWrittenAreNotBufferedAgain() {
        var buffer = buffer(flushThreshold: 16)
        #expect(buffered(&buffer) == 16)
        #expect(buffer.takeDirtyPages() == [key(1)])
        buffer.beginWrite(delivered(16))
        #expect(buffered(&buffer) == 32, "another sixteen")
        buffer.endWrite(delivered(16))
        #expect(buffer.unrecorded == 16)
    }

    @Test func onlyPushesThatTheProviderMayHaveCountAsUnrecorded() {
        var record = delivered(3)
        record.endedRecipients.append(.init(position: 3, outcome: .gaveUp))
        record.endedRecipients.append(.init(position: 4, outcome: .badToken))
        record.delays = [.init(position: 5, attempts: 1, dueAt: .zero)]
        #expect(record.count == 6)
        #expect(record.unrecordedCount == 5)
        record.gaveUpWaitingCount = 1
        #expect(record.unrecordedCount == 4, "one gave up while it waited for a pool")
    }

    @Test func aDeviceHasOneSilentPushAtATime() {
        var buffer = buffer()
        let device = AppDevice(app: EngineHarness.app, device: DeviceID(rawValue: 7))
        let begun = [buffer.beginSilentPush(to: device), buffer.beginSilentPush(to: device)]
        #expect(begun == [true, false])
        #expect(buffer.silentCount == 1)
        buffer.endSilentPush(to: device)
        #expect(buffer.silentCount == 0)
    }
}
