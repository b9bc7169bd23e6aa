import CarillonCore
import Testing

@testable import CarillonDelivery

/// A message with a pace holds in memory only the recipients that it can hand out soon: a slow message must not take
/// the others' room.
struct DeliveryEnginePaceTests {
    /// The number of reads of each page.
    private var reads: [UInt32: Int] = [:]
    private var harness: EngineHarness
    private var ended: Set<UInt64> = []

    init() {
        var limits = DeliveryEngine.Limits()
        limits.bufferMilliseconds = 0
        harness = EngineHarness(limits: limits)
    }

    /// Answers the engine's reads: a page has its recipients without those that have ended. Its records are on disk.
    private mutating func readAll(of recipients: (UInt32) -> [EngineHarness.Recipient]) {
        while case let actions = harness.engine.takeActions(), !actions.pageReads.isEmpty || !actions.records.isEmpty {
            for record in actions.records {
                for entry in record.endedRecipients where record.message.rawValue == 1 {
                    ended.insert(UInt64(record.page) * 1_000 + UInt64(entry.position))
                }
                harness.engine.recordWritten(record, at: harness.now)
            }
            for read in actions.pageReads {
                if read.message.rawValue == 1 { reads[read.page, default: 0] += 1 }
                let recipients = recipients(read.page)
                var builder = RecipientPage.Builder(capacity: recipients.count)
                for (position, recipient) in recipients.enumerated()
                where !ended.contains(UInt64(read.page) * 1_000 + UInt64(position)) || read.message.rawValue != 1 {
                    builder.append(
                        RecipientPage.Recipient(
                            position: UInt16(position), device: recipient.device.map { DeviceID(rawValue: $0) },
                            environment: recipient.environment, finalOutcome: recipient.finalOutcome,
                            registeredAt: Timestamp(milliseconds: 7), attempts: recipient.attempts,
                            dueAt: recipient.dueAt),
                        token: [recipient.token])
                }
                harness.engine.pageRead(
                    builder.page(read.page, of: read.message, addressed: nil, isLast: read.page == 1), for: read,
                    at: harness.now)
            }
        }
    }

    /// Sends for a number of seconds what the pace allows; returns the devices.
    private mutating func send(_ seconds: Int, _ recipients: (UInt32) -> [EngineHarness.Recipient]) -> [UInt64] {
        var devices: [UInt64] = []
        for _ in 0..<10 * seconds {
            readAll(of: recipients)
            let deliveries = harness.pull(99)
            devices += deliveries.map(\.device.rawValue)
            harness.complete(deliveries, .delivered)
            readAll(of: recipients)
            harness.advance(100)
        }
        return devices
    }

    private static func recipients(_ page: UInt32) -> [EngineHarness.Recipient] {
        (0..<400 as Range<UInt64>).map { EngineHarness.Recipient(device: UInt64(page) * 1_000 + $0 + 1) }
    }

    @Test mutating func `messages with a pace do not delay others`() {
        let full = (0..<4_096 as Range<UInt64>).map { EngineHarness.Recipient(device: $0 + 1) }
        for id: UInt64 in 1...100 {
            harness.engine.messageAccepted(.message(id, pace: 10), at: harness.now)
        }
        readAll { _ in full }
        #expect(harness.engine.load.recipients == 100 * 2 * 64)
        harness.engine.messageAccepted(.message(101), at: harness.now)
        readAll { _ in full }
        #expect(harness.pull(.max).contains { $0.message.id.rawValue == 101 })
    }

    @Test mutating func `every recipient is sent to once and at the pace`() {
        harness.engine.messageAccepted(.message(1, pace: 50), at: harness.now)
        let beginning = send(15, Self.recipients)
        #expect(beginning.count >= 15 * 50 - 5, "repeated reads of a page keep the pace")
        let sent = beginning + send(5, Self.recipients)
        #expect(sent.count == 800, "two pages of 400")
        #expect(Set(sent).count == 800)
        #expect(ended.count == 800)
        #expect(harness.engine.load.messages == 0)
        #expect(reads.values.allSatisfy { $0 <= 6 })
    }

    @Test mutating func `delayed recipients take no place among those in memory`() {
        // All of the first hundred are throttled for an hour.
        let due = harness.now.wall.later(byMilliseconds: 3_600_000)
        let recipients = { (page: UInt32) in
            Self.recipients(page).enumerated().map { index, recipient in
                var recipient = recipient
                if index < 100 { (recipient.attempts, recipient.dueAt) = (1, due) }
                return recipient
            }
        }
        harness.engine.messageAccepted(.message(1, pace: 50), at: harness.now)
        #expect(send(20, recipients).count == 600)
        #expect(harness.engine.load.recipients == 0)
        #expect(harness.engine.load.suspended == 2)
        #expect(reads.values.allSatisfy { $0 <= 6 })
    }

    @Test mutating func `an absent pool does not delay the recipients of another pool`() {
        let recipients = { (page: UInt32) in
            Self.recipients(page).enumerated().map { index, recipient in
                var recipient = recipient
                if index < 200 { recipient.environment = .sandbox }
                return recipient
            }
        }
        harness.engine.messageAccepted(.message(1, pace: 50), at: harness.now)
        var devices: Set<UInt64> = []
        for _ in 0..<30 {
            devices.formUnion(send(1, recipients))
            harness.engine.expirePassed(at: harness.now)
        }
        #expect(devices.count == 400)
        #expect(reads.values.allSatisfy { $0 <= 10 })
    }

    @Test mutating func `pages of a parked pool are not read again and again`() {
        let recipients = { (page: UInt32) in
            Self.recipients(page).map { recipient in
                var recipient = recipient
                recipient.environment = .sandbox
                return recipient
            }
        }
        harness.engine.messageAccepted(.message(1, pace: 50), at: harness.now)
        readAll(of: recipients)
        #expect(harness.engine.load.recipients == 200)
        harness.refuseCredential(of: .sandbox)
        _ = send(5, recipients)
        #expect(harness.engine.load.messages == 0)
        #expect(reads.values.reduce(0, +) <= 4)
        harness.engine.poolRestarted(.sandbox, at: harness.now)
        #expect(harness.engine.takeActions().readsQueues, "all that is left comes back")
    }

    @Test(arguments: [false, true])
    mutating func `a paused message with recipients left on disk is not finished`(_ isInFlight: Bool) {
        harness.engine.messageAccepted(.message(1, isLive: true, pace: 100), at: harness.now)
        let recipients = { (page: UInt32) in Array(Self.recipients(page).prefix(page == 0 ? 300 : 1)) }
        readAll(of: recipients)
        // The 200 recipients in memory are handed out; 100 of the page are left on disk.
        var deliveries: [Delivery] = []
        for _ in 0..<40 where deliveries.count < 200 {
            deliveries += harness.pull(99)
            harness.advance(100)
        }
        if !isInFlight { harness.complete(deliveries, .delivered) }
        harness.engine.pause(MessageID(rawValue: 1), at: harness.now)
        if isInFlight { harness.complete(deliveries, .delivered) }
        let actions = harness.takeActions()
        #expect(actions.finishedMessages.isEmpty)
        #expect(harness.takeActions().finishedMessages.isEmpty)
        #expect(harness.engine.load.messages == 0)
        #expect(actions.records.allSatisfy { $0.firstPendingPage == 0 })
    }

    @Test mutating func `a message that is slowed down gives its room back`() {
        harness.engine.messageAccepted(.message(1), at: harness.now)
        readAll(of: Self.recipients)
        #expect(harness.engine.load.recipients == 800)
        harness.engine.setPace(10, of: MessageID(rawValue: 1), at: harness.now)
        #expect(harness.engine.load.recipients == 128)
        harness.engine.setPace(nil, of: MessageID(rawValue: 1), at: harness.now)
        #expect(Set(send(1, Self.recipients)).count == 800)
        #expect(harness.engine.load.messages == 0)
    }

    @Test mutating func `a page with a lost record is not read again for its other recipients`() {
        harness.engine.messageAccepted(.message(1, pace: 1_000), at: harness.now)
        harness.engine.setPace(640, of: MessageID(rawValue: 1), at: harness.now)
        let recipients = { (_: UInt32) in
            (0..<4_000 as Range<UInt64>).map { EngineHarness.Recipient(device: $0 + 1) }
        }
        readAll(of: recipients)
        harness.complete(harness.pull(9), .delivered)
        harness.advance(100)
        for record in harness.engine.takeActions().records { harness.engine.recordLost(record, at: harness.now) }
        let inMemory = harness.engine.load.recipients
        #expect(inMemory < 2 * 1_280)
        harness.advance(10_000)
        // Page 0 has the lost record. A read for its recipients that are out of memory would have no `isNext`.
        #expect(harness.engine.takeActions().pageReads.allSatisfy { $0.page != 0 || $0.isNext })
    }
}
