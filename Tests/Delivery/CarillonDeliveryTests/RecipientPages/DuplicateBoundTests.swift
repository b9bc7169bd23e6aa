import CarillonCore
import Testing

@testable import CarillonDelivery

/// The bound on what a crash may repeat. Here it is 64.
struct DuplicateBoundTests {
    private var bound = DuplicateBound(maximum: 64)

    private func makeRecord(delivered count: UInt16) -> OutcomeRecord {
        OutcomeRecord(
            message: MessageID(rawValue: 1), page: 0,
            endedRecipients: (0..<count).map { OutcomeRecord.EndedRecipient(position: $0, outcome: .delivered) })
    }

    @Test mutating func `an eighth of the bound is kept for the interactive lane`() {
        #expect(bound.room(for: .interactive) == 64)
        #expect(bound.room(for: .bulk) == 56)
        bound.deliveriesHandedOut(50)
        bound.addUnrecorded(1)
        bound.deliveriesReturned(1)
        #expect(bound.room(for: .interactive) == 14)
        #expect(bound.room(for: .bulk) == 6)
        bound.deliveriesHandedOut(6)
        #expect(bound.room(for: .bulk) == 0)
        #expect(bound.isBulkShareUsedUp)
        #expect(!bound.isUsedUpByUnrecorded)
    }

    @Test mutating func `only outcomes reach the bound`() {
        bound.deliveriesHandedOut(64)
        #expect(!bound.isUsedUpByUnrecorded)
        #expect(bound.maximumUnrecordedOfBulk == -8)
        bound.addUnrecorded(64)
        #expect(bound.isUsedUpByUnrecorded)
    }

    @Test mutating func `outcomes that are being written still count`() {
        bound.addUnrecorded(20)
        bound.beginWrite(makeRecord(delivered: 16))
        #expect(bound.unrecorded == 20)
        #expect(bound.bufferedCount == 4)
        bound.endWrite(makeRecord(delivered: 16))
        #expect(bound.unrecorded == 4)
        #expect(bound.bufferedCount == 4)
    }

    @Test func `only pushes that the provider may have count as unrecorded`() {
        var record = makeRecord(delivered: 3)
        record.endedRecipients.append(.init(position: 3, outcome: .gaveUp))
        record.endedRecipients.append(.init(position: 4, outcome: .badToken))
        record.delays = [.init(position: 5, attempts: 1, dueAt: .zero)]
        #expect(record.count == 6)
        #expect(record.unrecordedCount == 5)
        record.gaveUpWaitingCount = 1
        #expect(record.unrecordedCount == 4, "one gave up while it waited for a pool")
    }
}
