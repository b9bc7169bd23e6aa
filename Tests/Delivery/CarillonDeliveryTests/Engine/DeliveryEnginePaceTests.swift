import CarillonCore
import Testing

@testable import CarillonDelivery

/// A message with a pace holds in memory only the recipients that it can hand out soon: a slow message must not take
/// the others' room.
struct DeliveryEnginePaceTests {
    private static let limits: DeliveryEngine.Limits = {
        var limits = DeliveryEngine.Limits()
        limits.bufferMilliseconds = 0
        limits.pacedSeconds = 2
        limits.minimumPacedRecipients = 64
        limits.pagesPerMessage = 2
        return limits
    }()
    private static let pageCount = 2
    private static let pageSize = 400
    /// The pace of most messages, in recipients a second.
    private static let pace: UInt32 = 50
    /// The recipients of a page that a message with `pace` has in memory.
    private static let recipientsInMemory = Int(pace) * limits.pacedSeconds
    /// The reads of a page until each of its recipients was in memory.
    private static let neededReads = pageSize / recipientsInMemory

    private struct Place: Hashable {
        var page: UInt32
        var position: UInt16
    }

    /// The number of reads of each page.
    private var reads: [UInt32: Int] = [:]
    private var harness = EngineHarness(limits: Self.limits)
    /// The recipients of message 1 with an outcome on disk.
    private var ended: Set<Place> = []

    /// True if each page was read about as often as it needs. A page that is read again in vain is read each second
    /// (`partialPageMilliseconds`).
    private var isEachReadUseful: Bool { reads.values.allSatisfy { $0 <= Self.neededReads + 2 } }

    /// Answers the engine's reads: a page has its recipients without those that have ended. Its records are on disk.
    private mutating func readAll(of recipients: (UInt32) -> [EngineHarness.Recipient]) {
        while case let actions = harness.engine.takeActions(), !actions.pageReads.isEmpty || !actions.records.isEmpty {
            for record in actions.records {
                for entry in record.endedRecipients where record.message.rawValue == 1 {
                    ended.insert(Place(page: record.page, position: entry.position))
                }
                harness.engine.recordWritten(record, at: harness.now)
            }
            for read in actions.pageReads {
                if read.message.rawValue == 1 { reads[read.page, default: 0] += 1 }
                let recipients = recipients(read.page)
                var builder = RecipientPage.Builder(capacity: recipients.count)
                for (index, recipient) in recipients.enumerated() {
                    let position = UInt16(index)
                    let isPending = !ended.contains(Place(page: read.page, position: position))
                    guard isPending || read.message.rawValue != 1 else { continue }
                    builder.append(
                        RecipientPage.Recipient(
                            position: position, device: recipient.device.map { DeviceID(rawValue: $0) },
                            environment: recipient.environment, finalOutcome: recipient.finalOutcome,
                            registeredAt: Timestamp(milliseconds: 7), attempts: recipient.attempts,
                            dueAt: recipient.dueAt),
                        token: [recipient.token])
                }
                harness.engine.pageRead(
                    builder.page(
                        read.page, of: read.message, addressed: nil, isLast: Int(read.page) == Self.pageCount - 1),
                    for: read,
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

    /// Returns the recipients of a page: the devices 1 to 400 of page 0, and 401 to 800 of page 1.
    private static func recipients(_ page: UInt32) -> [EngineHarness.Recipient] {
        let first = Int(page) * pageSize + 1
        return (first..<first + pageSize).map { EngineHarness.Recipient(device: UInt64($0)) }
    }

    @Test mutating func `messages with a pace do not delay others`() {
        let full = (0..<4_096 as Range<UInt64>).map { EngineHarness.Recipient(device: $0 + 1) }
        for id: UInt64 in 1...100 {
            harness.engine.messageAccepted(.message(id, pace: 10), at: harness.now)
        }
        readAll { _ in full }
        let recipientsOfMessage = Self.limits.pagesPerMessage * Self.limits.minimumPacedRecipients
        #expect(harness.engine.load.recipients == 100 * recipientsOfMessage)
        harness.engine.messageAccepted(.message(101), at: harness.now)
        readAll { _ in full }
        #expect(harness.pull(.max).contains { $0.message.id.rawValue == 101 })
    }

    @Test mutating func `every recipient is sent to once and at the pace`() {
        harness.engine.messageAccepted(.message(1, pace: Self.pace), at: harness.now)
        let beginning = send(15, Self.recipients)
        // `send` pulls each 100 ms, in which the pace allows five deliveries.
        #expect(beginning.count >= 15 * Int(Self.pace) - 5, "repeated reads of a page keep the pace")
        let sent = beginning + send(5, Self.recipients)
        let all = Self.pageCount * Self.pageSize
        #expect(sent.count == all)
        #expect(Set(sent).count == all)
        #expect(ended.count == all)
        #expect(harness.engine.load.messages == 0)
        #expect(isEachReadUseful)
    }

    @Test mutating func `delayed recipients take no place among those in memory`() {
        // As many as have room in memory are throttled for an hour.
        let delayed = Self.recipientsInMemory
        let due = harness.now.wall.later(byMilliseconds: 3_600_000)
        let recipients = { (page: UInt32) in
            Self.recipients(page).enumerated().map { index, recipient in
                var recipient = recipient
                if index < delayed {
                    recipient.attempts = 1
                    recipient.dueAt = due
                }
                return recipient
            }
        }
        harness.engine.messageAccepted(.message(1, pace: Self.pace), at: harness.now)
        #expect(send(20, recipients).count == Self.pageCount * (Self.pageSize - delayed))
        #expect(harness.engine.load.recipients == 0)
        #expect(harness.engine.load.suspended == Self.pageCount)
        #expect(isEachReadUseful)
    }

    @Test mutating func `an absent pool does not delay the recipients of another pool`() {
        let recipients = { (page: UInt32) in
            Self.recipients(page).enumerated().map { index, recipient in
                var recipient = recipient
                if index < Self.pageSize / 2 { recipient.environment = .sandbox }
                return recipient
            }
        }
        harness.engine.messageAccepted(.message(1, pace: Self.pace), at: harness.now)
        var devices: Set<UInt64> = []
        for _ in 0..<30 {
            devices.formUnion(send(1, recipients))
            harness.engine.expirePassed(at: harness.now)
        }
        #expect(devices.count == Self.pageCount * Self.pageSize / 2)
        // A page that is read again each second would be read thirty times.
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
        harness.engine.messageAccepted(.message(1, pace: Self.pace), at: harness.now)
        readAll(of: recipients)
        #expect(harness.engine.load.recipients == Self.pageCount * Self.recipientsInMemory)
        harness.refuseCredential(of: .sandbox)
        _ = send(5, recipients)
        #expect(harness.engine.load.messages == 0)
        #expect(reads.values.reduce(0, +) <= 2 * Self.pageCount, "each page once, and once more at most")
        harness.engine.poolRestarted(.sandbox, at: harness.now)
        #expect(harness.engine.takeActions().readsQueues, "all that is left comes back")
    }

    @Test(arguments: [false, true])
    mutating func `a paused message with recipients left on disk is not finished`(_ isInFlight: Bool) {
        let pace: UInt32 = 100
        let inMemory = Int(pace) * Self.limits.pacedSeconds
        harness.engine.messageAccepted(.message(1, isLive: true, pace: pace), at: harness.now)
        let recipients = { (page: UInt32) in Array(Self.recipients(page).prefix(page == 0 ? inMemory + 100 : 1)) }
        readAll(of: recipients)
        // The recipients in memory are handed out; 100 of the page are left on disk.
        var deliveries: [Delivery] = []
        for _ in 0..<40 where deliveries.count < inMemory {
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
        let all = Self.pageCount * Self.pageSize
        #expect(harness.engine.load.recipients == all)
        harness.engine.setPace(10, of: MessageID(rawValue: 1), at: harness.now)
        #expect(harness.engine.load.recipients == Self.pageCount * Self.limits.minimumPacedRecipients)
        harness.engine.setPace(nil, of: MessageID(rawValue: 1), at: harness.now)
        #expect(Set(send(1, Self.recipients)).count == all)
        #expect(harness.engine.load.messages == 0)
    }

    @Test mutating func `a page with a lost record is not read again for its other recipients`() {
        harness.engine.messageAccepted(.message(1, pace: 1_000), at: harness.now)
        let pace: UInt32 = 640
        harness.engine.setPace(pace, of: MessageID(rawValue: 1), at: harness.now)
        let recipients = { (_: UInt32) in
            (0..<4_000 as Range<UInt64>).map { EngineHarness.Recipient(device: $0 + 1) }
        }
        readAll(of: recipients)
        harness.complete(harness.pull(9), .delivered)
        harness.advance(100)
        for record in harness.engine.takeActions().records { harness.engine.recordLost(record, at: harness.now) }
        let inMemory = harness.engine.load.recipients
        #expect(inMemory < Self.pageCount * Int(pace) * Self.limits.pacedSeconds)
        harness.advance(10_000)
        // Page 0 has the lost record. A read for its recipients that are out of memory would have no `isNext`.
        #expect(harness.engine.takeActions().pageReads.allSatisfy { $0.page != 0 || $0.isNext })
    }
}
