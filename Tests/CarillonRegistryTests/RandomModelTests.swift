import CarillonCore
import CarillonRegistry
import Testing

/// Random changes against ``ReferenceRegistry``: the same answers, and the same state, also after reopening.
struct RandomModelTests {
    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func answersAndStateAreThoseOfTheReference(seed: UInt64) throws {
        var run = RandomRun(seed: seed)
        let scratch = Scratch()
        var registry = try run.open(scratch)
        for step in 1...400 {
            let changes = run.nextChanges()
            let expected = changes.map { run.reference.apply($0) }
            let answers = try registry.apply(changes)
            try #require(answers == expected, "seed \(seed), step \(step): \(changes)")
            if step.isMultiple(of: 50) {
                run.reference.sweep(run.now)
                while try registry.sweep(now: Timestamp(milliseconds: run.now)) {}
            }
            if step.isMultiple(of: 100) {
                registry.close()
                registry = try run.open(scratch)
                try run.compare(registry, "seed \(seed), step \(step)")
            }
        }
        registry.close()
    }
}

/// A small, fast generator whose numbers are the same everywhere (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }
}

private struct RandomRun {
    var reference = ReferenceRegistry()
    var now: UInt64 = 1_000
    private var random: SeededGenerator

    init(seed: UInt64) {
        random = SeededGenerator(state: seed)
    }

    func open(_ scratch: Scratch) throws -> LMDBRegistry {
        try scratch.open {
            $0.retention.tombstoneMilliseconds = ReferenceRegistry.tombstoneAge
            $0.retention.idempotencyMilliseconds = ReferenceRegistry.keyAge
            $0.retention.messageMilliseconds = ReferenceRegistry.messageAge
            $0.sweepLimit = 7
        }
    }

    mutating func nextChanges() -> [Change] {
        (0..<Int.random(in: 1...20, using: &random)).map { _ in
            now += UInt64.random(in: 0...3, using: &random)
            return nextChange()
        }
    }

    private mutating func nextChange() -> Change {
        let now = Timestamp(milliseconds: now)
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4: return .register(registration(), now: now)
        case 4: return .unregister(deviceReference(), app: game, at: nearTime(), now: now)
        case 5..<7: return .accept(message(), now: now)
        default: return .record(outcomes(), now: now)
        }
    }

    private mutating func nearTime() -> Timestamp {
        Bool.random(using: &random)
            ? .zero : Timestamp(milliseconds: UInt64.random(in: now - 30...now + 5, using: &random))
    }

    private mutating func token() -> DeviceToken {
        DeviceToken([UInt8.random(in: 1...12, using: &random), 0xFF])!
    }

    private mutating func anyAddress() -> DeviceAddress {
        let kind: TokenKind = Int.random(in: 0..<5, using: &random) == 0 ? .voip : .device
        return DeviceAddress(environment: .sandbox, kind: kind, token: token())
    }

    private mutating func deviceReference() -> DeviceReference {
        Bool.random(using: &random)
            ? .address(anyAddress())
            : .id(DeviceID(rawValue: UInt64.random(in: 1...reference.lastDevice + 2, using: &random)))
    }

    private mutating func registration() -> Registration {
        Registration(
            app: game,
            address: anyAddress(),
            seenAt: nearTime(),
            replaces: Int.random(in: 0..<3, using: &random) == 0 ? token() : nil,
            locale: [nil, "", "en", "zh-Hant"].randomElement(using: &random)!,
            timeZone: [nil, "", "Asia/Tokyo"].randomElement(using: &random)!
        )
    }

    private mutating func message() -> Message {
        let payload = Array(#"{"n":\#(Int.random(in: 0..<2, using: &random))}"#.utf8)
        return Message(
            key: UUIDBytes(high: 0, low: UInt64.random(in: 0..<5, using: &random)),
            content: MessageContent(app: game, pushType: .alert, payload: payload),
            devices: (0..<Int.random(in: 1...6, using: &random)).map { _ in deviceReference() },
            lane: Lane.allCases.randomElement(using: &random)!
        )
    }

    private mutating func outcomes() -> OutcomeRecord {
        let entries = (0..<Int.random(in: 1...4, using: &random)).map { _ in
            OutcomeRecord.Entry(
                position: UInt16.random(in: 0..<4, using: &random),
                outcome: [.delivered, .tokenUnregistered, .tokenExpired, .gaveUp].randomElement(using: &random)!,
                death: Bool.random(using: &random)
                    ? OutcomeRecord.TokenDeath(since: nearTime(), registeredAt: nearTime()) : nil
            )
        }
        let last = reference.lastMessage
        let first = last > 20 ? last - 20 : 1
        return OutcomeRecord(
            message: MessageID(rawValue: UInt64.random(in: first...last + 1, using: &random)),
            page: Int.random(in: 0..<20, using: &random) == 0 ? 1 : 0,
            entries: entries
        )
    }

    /// Compares everything that can be asked.
    func compare(_ registry: LMDBRegistry, _ place: Comment) throws {
        try #require(try registry.verify() == [], place)
        for number in 1...reference.lastDevice {
            let device = try registry.device(.id(DeviceID(rawValue: number)), of: game)
            try #require(device == reference.devices[number], place)
        }
        for device in reference.devices.values {
            try #require(try registry.device(.address(device.address), of: game) == device, place)
        }
        var unfinished: [MessageID] = []
        for number in 1...reference.lastMessage {
            let id = MessageID(rawValue: number)
            let sent = reference.messages[number]
            let page = try registry.outcomes(of: id, app: game, cursor: 0, limit: 1_000)
            try #require(page?.recipients == sent?.recipients, place)
            try #require(try registry.status(of: id, app: game) == sent.map(status), place)
            if sent?.finishedAt == 0 { unfinished.append(id) }
            guard let sent, let pending = try registry.pendingRecipients(of: id, page: 0) else { continue }
            let expected = sent.recipients.indices.filter { sent.recipients[$0].outcome == .pending }
            try #require(pending.recipients.map { Int($0.position) } == expected, place)
            for (index, recipient) in pending.recipients.enumerated() {
                let device = recipient.device.flatMap { reference.devices[$0.rawValue] }
                try #require(recipient.state == device?.state, place)
                try #require(pending.withToken(at: index) { Array($0) } == device?.address.token.bytes ?? [], place)
            }
        }
        try #require(try registry.unfinishedMessages(after: nil, limit: .max).map(\.id) == unfinished, place)
    }

    private func status(_ sent: ReferenceRegistry.Sent) -> MessageStatus {
        let ended = sent.recipients.count { $0.outcome != .pending }
        return MessageStatus(
            state: sent.finishedAt > 0 ? .finished : ended == sent.endedAtOnce ? .waiting : .sending,
            acceptedAt: Timestamp(milliseconds: sent.acceptedAt),
            finishedAt: Timestamp(milliseconds: sent.finishedAt),
            total: UInt64(sent.recipients.count),
            outcomes: Dictionary(grouping: sent.recipients, by: \.outcome).mapValues { UInt64($0.count) }
        )
    }
}
