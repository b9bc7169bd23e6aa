import CarillonCore
import Testing

@testable import CarillonDelivery

/// The outcomes that are buffered as far as the bound on duplicates allows. Here the bound is 64.
struct OutcomeBufferTests {
    private let start = Moment(wall: Timestamp(milliseconds: 1_790_000_000_000), uptime: 1_000)
    private let bound = DuplicateBound(maximum: 64)

    private func makeBuffer(limit: Int = 4_096) -> OutcomeBuffer {
        var limits = DeliveryEngine.Limits()
        limits.bufferMilliseconds = 100
        limits.bufferedDeliveries = limit
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
    private func buffered(_ buffer: inout OutcomeBuffer, within bound: inout DuplicateBound) -> Int? {
        for _ in bound.unrecorded..<bound.maximum {
            bound.addUnrecorded(1)
            buffer.scheduleWrite(of: key(1), isUrgent: false, within: bound, at: start)
            if buffer.hasPagesDueNow { return bound.unrecorded }
        }
        return nil
    }

    @Test func `outcomes are buffered for their time`() {
        var buffer = makeBuffer()
        buffer.scheduleWrite(of: key(2), isUrgent: false, within: bound, at: start)
        let later = Moment(wall: start.wall, uptime: 1_050)
        buffer.scheduleWrite(of: key(1, 4), isUrgent: false, within: bound, at: later)
        #expect(!buffer.hasPagesDueNow)
        #expect(buffer.bufferedUntil == 1_100)
        buffer.timerFired(at: Moment(wall: start.wall, uptime: 1_099))
        #expect(buffer.takePagesDueNow() == [])
        buffer.timerFired(at: Moment(wall: start.wall, uptime: 1_100))
        #expect(buffer.takePagesDueNow() == [key(1, 4), key(2)])
        #expect(!buffer.hasPagesDueNow)
        #expect(buffer.bufferedUntil == nil)
    }

    @Test func `an urgent outcome is written at the end of the call`() {
        var buffer = makeBuffer()
        buffer.scheduleWrite(of: key(1), isUrgent: true, within: bound, at: start)
        #expect(buffer.bufferedUntil == nil)
        #expect(buffer.takePagesDueNow() == [key(1)])
    }

    @Test func `no outcome is buffered once the bulk lane gets no work`() {
        var buffer = makeBuffer()
        var bound = bound
        bound.deliveriesHandedOut(56)
        buffer.scheduleWrite(of: key(1), isUrgent: false, within: bound, at: start)
        #expect(buffer.takePagesDueNow() == [key(1)])
    }

    /// The limit, the deliveries in flight, and what is buffered then: five eighths of the room of the bulk lane.
    struct ThresholdCase: CustomTestStringConvertible {
        let limit: Int
        var inFlight = 0
        let buffered: Int

        var testDescription: String { "a limit of \(limit), \(inFlight) in flight" }
    }

    @Test(
        arguments: [
            ThresholdCase(limit: 1, buffered: 16),
            ThresholdCase(limit: 15, buffered: 16),
            ThresholdCase(limit: 30, buffered: 30),
            ThresholdCase(limit: 4_096, buffered: 35),
            ThresholdCase(limit: 4_096, inFlight: 16, buffered: 25),
            ThresholdCase(limit: 20, inFlight: 16, buffered: 20),
            ThresholdCase(limit: 4_096, inFlight: 32, buffered: 16),
        ])
    func `at least a quarter of the bound is buffered`(_ each: ThresholdCase) {
        var buffer = makeBuffer(limit: each.limit)
        var bound = bound
        bound.deliveriesHandedOut(each.inFlight)
        #expect(buffered(&buffer, within: &bound) == each.buffered)
    }

    @Test func `outcomes that are being written are not buffered again`() {
        var buffer = makeBuffer(limit: 16)
        var bound = bound
        #expect(buffered(&buffer, within: &bound) == 16)
        #expect(buffer.takePagesDueNow() == [key(1)])
        bound.beginWrite(delivered(16))
        #expect(buffered(&buffer, within: &bound) == 32, "another sixteen")
    }
}
