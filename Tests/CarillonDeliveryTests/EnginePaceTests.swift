import CarillonCore
import Testing

@testable import CarillonDelivery

/// A message with a pace holds in memory only whom it can hand out soon: what is slow on purpose must not take the others' room.
@Suite struct EnginePaceTests {
    /// Pages that were read, by number.
    private var reads: [UInt32: Int] = [:]
    private var desk: EngineDesk
    private var ended: Set<UInt64> = []

    init() {
        var limits = DeliveryEngine.Limits()
        limits.gathering = 0
        desk = EngineDesk(limits: limits)
    }

    /// Reads what the engine asks for: every page of a message has its devices by number, those that have ended apart.
    private mutating func readAll(of rows: (UInt32) -> [EngineDesk.Row]) {
        while case let effects = desk.engine.takeEffects(), !effects.reads.isEmpty || !effects.records.isEmpty {
            for record in effects.records {
                for entry in record.entries where record.message.rawValue == 1 {
                    ended.insert(UInt64(record.page) * 1_000 + UInt64(entry.position))
                }
                desk.engine.recorded(record, at: desk.now)
            }
            for read in effects.reads {
                if read.message.rawValue == 1 { reads[read.page, default: 0] += 1 }
                let rows = rows(read.page)
                var builder = RecipientPage.Builder(capacity: rows.count)
                for (position, row) in rows.enumerated()
                where !ended.contains(UInt64(read.page) * 1_000 + UInt64(position)) || read.message.rawValue != 1 {
                    builder.append(
                        RecipientPage.Recipient(
                            position: UInt16(position), device: row.device.map { DeviceID(rawValue: $0) },
                            environment: row.environment, ending: row.ending,
                            registeredAt: Timestamp(milliseconds: 7), attempts: row.attempts, dueAt: row.dueAt),
                        token: [row.token])
                }
                desk.engine.pageRead(
                    builder.page(read.page, of: read.message, addressed: nil, isLast: read.page == 1), read,
                    at: desk.now)
            }
        }
    }

    /// Sends for so many seconds what the pace allows; returns the devices.
    private mutating func send(_ seconds: Int, _ rows: (UInt32) -> [EngineDesk.Row]) -> [UInt64] {
        var devices: [UInt64] = []
        for _ in 0..<10 * seconds {
            readAll(of: rows)
            let deliveries = desk.pull(99)
            devices += deliveries.map(\.device.rawValue)
            desk.complete(deliveries, .delivered)
            readAll(of: rows)
            desk.advance(100)
        }
        return devices
    }

    private static func rows(_ page: UInt32) -> [EngineDesk.Row] {
        (0..<400 as Range<UInt64>).map { EngineDesk.Row(device: UInt64(page) * 1_000 + $0 + 1) }
    }

    @Test mutating func messagesWithAPaceKeepNobodyWaiting() {
        let full = (0..<4_096 as Range<UInt64>).map { EngineDesk.Row(device: $0 + 1) }
        for id: UInt64 in 1...100 { desk.engine.messageAccepted(EngineDesk.entry(id, pace: 10), at: desk.now) }
        readAll { _ in full }
        #expect(desk.engine.load.recipients == 100 * 2 * 64)
        desk.engine.messageAccepted(EngineDesk.entry(101), at: desk.now)
        readAll { _ in full }
        #expect(desk.pull(.max).contains { $0.message.id.rawValue == 101 })
    }

    @Test mutating func everybodyIsSentToOnceAndAtThePace() {
        desk.engine.messageAccepted(EngineDesk.entry(1, pace: 50), at: desk.now)
        let devices = send(15, Self.rows)
        #expect(devices.count >= 15 * 50 - 5, "parts that follow each other keep the pace")
        let sent = Set(devices + send(5, Self.rows))
        #expect(sent.count == 800)
        #expect(ended.count == 800)
        #expect(desk.engine.load.messages == 0)
        #expect(reads.values.allSatisfy { $0 <= 6 })
    }

    @Test mutating func whoWaitsForATimeDoesNotUseUpThePart() {
        // Everybody of the first hundred is throttled for an hour.
        let due = desk.now.wall.advanced(byMilliseconds: 3_600_000)
        let rows = { (page: UInt32) in
            Self.rows(page).enumerated().map { index, row in
                var row = row
                if index < 100 { (row.attempts, row.dueAt) = (1, due) }
                return row
            }
        }
        desk.engine.messageAccepted(EngineDesk.entry(1, pace: 50), at: desk.now)
        #expect(send(20, rows).count == 600)
        #expect(desk.engine.load.recipients == 0)
        #expect(desk.engine.load.asleep == 2)
        #expect(reads.values.allSatisfy { $0 <= 6 })
    }

    @Test mutating func aSilentPoolKeepsNobodyOfTheOtherWaiting() {
        let rows = { (page: UInt32) in
            Self.rows(page).enumerated().map { index, row in
                var row = row
                if index < 200 { row.environment = .sandbox }
                return row
            }
        }
        desk.engine.messageAccepted(EngineDesk.entry(1, pace: 50), at: desk.now)
        var devices: Set<UInt64> = []
        for _ in 0..<30 {
            devices.formUnion(send(1, rows))
            desk.engine.expirePassed(at: desk.now)
        }
        #expect(devices.count == 400)
        #expect(reads.values.allSatisfy { $0 <= 10 })
    }

    @Test mutating func aParkedPoolIsNotReadForEver() {
        let rows = { (page: UInt32) in
            Self.rows(page).map { row in
                var row = row
                row.environment = .sandbox
                return row
            }
        }
        desk.engine.messageAccepted(EngineDesk.entry(1, pace: 50), at: desk.now)
        readAll(of: rows)
        #expect(desk.engine.load.recipients == 200)
        desk.engine.poolStopped(EngineDesk.sandbox, at: desk.now)
        _ = send(5, rows)
        #expect(desk.engine.load.messages == 0)
        #expect(reads.values.reduce(0, +) <= 4)
        desk.engine.poolRestarted(EngineDesk.sandbox, at: desk.now)
        #expect(desk.engine.takeEffects().readsQueues, "all that is left comes back")
    }

    @Test(arguments: [false, true])
    mutating func aMessageThatIsPausedWithPartsIsNotFinished(_ isInFlight: Bool) {
        desk.engine.messageAccepted(EngineDesk.entry(1, isLive: true, pace: 100), at: desk.now)
        let rows = { (page: UInt32) in Array(Self.rows(page).prefix(page == 0 ? 300 : 1)) }
        readAll(of: rows)
        // All of the part is handed out, and only the rest is left.
        var deliveries: [Delivery] = []
        for _ in 0..<40 where deliveries.count < 200 {
            deliveries += desk.pull(99)
            desk.advance(100)
        }
        if !isInFlight { desk.complete(deliveries, .delivered) }
        desk.engine.pause(MessageID(rawValue: 1), at: desk.now)
        if isInFlight { desk.complete(deliveries, .delivered) }
        let effects = desk.write()
        #expect(effects.finished.isEmpty)
        #expect(desk.write().finished.isEmpty)
        #expect(desk.engine.load.messages == 0)
        #expect(effects.records.allSatisfy { $0.floor == 0 })
    }

    @Test mutating func aMessageThatIsSlowedDownGivesItsRoomBack() {
        desk.engine.messageAccepted(EngineDesk.entry(1), at: desk.now)
        readAll(of: Self.rows)
        #expect(desk.engine.load.recipients == 800)
        desk.engine.setPace(10, of: MessageID(rawValue: 1), at: desk.now)
        #expect(desk.engine.load.recipients == 128)
        desk.engine.setPace(nil, of: MessageID(rawValue: 1), at: desk.now)
        #expect(Set(send(1, Self.rows)).count == 800)
        #expect(desk.engine.load.messages == 0)
    }

    @Test mutating func aRecordThatIsRefusedDoesNotSendToTheSameAgain() {
        desk.engine.messageAccepted(EngineDesk.entry(1, pace: 1_000), at: desk.now)
        desk.engine.setPace(640, of: MessageID(rawValue: 1), at: desk.now)
        let rows = { (page: UInt32) in (0..<4_000 as Range<UInt64>).map { EngineDesk.Row(device: $0 + 1) } }
        readAll(of: rows)
        desk.complete(desk.pull(9), .delivered)
        desk.advance(100)
        for record in desk.engine.takeEffects().records { desk.engine.recordLost(record, at: desk.now) }
        let sent = desk.engine.load.recipients
        #expect(sent < 2 * 1_280)
        desk.advance(10_000)
        #expect(desk.engine.takeEffects().reads.allSatisfy { $0.page != 0 || $0.isNext })
    }
}
