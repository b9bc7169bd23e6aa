import CarillonCore
import CarillonRegistryTestKit
import Testing

@testable import CarillonRegistry

/// SEND (Protocol 10.1): the recipients that a message gets, and its idempotency key.
struct SendApplierTests {
    private let scratch = RegistryDirectory()

    private func accepted(_ number: UInt64, total: UInt32, ended: UInt32, duplicate: Bool = false) -> SendResult {
        SendResult(id: messageID(number), isDuplicate: duplicate, total: total, ended: ended)
    }

    @Test func `every recipient counts once and those that cannot be reached end at once`() throws {
        let registry = try scratch.open()
        try registry.apply([.register(1), .register(2), .register(3, kind: .voip), .register(4)])
        try registry.apply(.accept(.sample(to: [byToken(4)]), now: timestamp(1_000)))
        try registry.apply(.recordOutcomes(of: 1, [(0, .tokenUnregistered)], deadSince: 1_000))

        let devices: [DeviceReference] = [
            byToken(2), .id(deviceID(1)), byToken(1), byToken(9), byToken(9), byToken(8), .id(deviceID(77)),
            .id(deviceID(77)), .id(deviceID(3)),
            byToken(4),
        ]
        #expect(try registry.accept(.sample(to: devices)) == accepted(2, total: 7, ended: 5))
        #expect(
            try registry.outcomes(of: messageID(2), app: game, cursor: 0, limit: 1_000)?.recipients == [
                RecipientOutcome(device: nil, outcome: .unregistered),
                RecipientOutcome(device: nil, outcome: .unregistered),
                RecipientOutcome(device: deviceID(1), outcome: .pending),
                RecipientOutcome(device: deviceID(2), outcome: .pending),
                RecipientOutcome(device: deviceID(3), outcome: .wrongKind),
                RecipientOutcome(device: deviceID(4), outcome: .quarantined),
                RecipientOutcome(device: deviceID(77), outcome: .unregistered),
            ]
        )
        #expect(try registry.verify() == [])
    }

    @Test func `a message sees the changes before it in its submission`() throws {
        let registry = try scratch.open()
        let answers = try registry.apply([
            .register(1), .accept(.sample(to: [byToken(1)]), now: timestamp(1_000)), .unregister(1),
            .accept(.sample(to: [byToken(1)]), now: timestamp(1_000)),
        ])
        guard case .accepted(let first, let entry) = answers[1], case .accepted(let second, let none) = answers[3]
        else {
            Issue.record("not accepted: \(answers)")
            return
        }
        #expect(first == accepted(1, total: 1, ended: 0))
        #expect(second == accepted(2, total: 1, ended: 1))
        #expect(entry == (try registry.unfinished().first))
        #expect(none == nil)
        #expect(try registry.status(of: messageID(2), app: game)?.state == .finished)
    }

    @Test func `an audience sees the changes before it in its submission`() throws {
        let registry = try scratch.open()
        let both = try Condition("'a' in topics && 'b' in topics")
        let answers = try registry.apply([
            .register(1, topics: ["a", "b"]),
            .accept(.sample(to: .condition(both)), now: timestamp(1_000)),
            .unsubscribe(["b"], devices: [byToken(1)]),
            .accept(.sample(to: .condition(both)), now: timestamp(1_000)),
        ])
        let totals = answers.compactMap { if case .accepted(let acceptance, _) = $0 { acceptance.total } else { nil } }
        #expect(totals == [1, 0])
    }

    @Test func `a message for no device finishes at once`() throws {
        let registry = try scratch.open()
        try registry.apply(.register(1, topics: ["a"]))
        let empty = Message.sample(to: .topic("a"), excluding: byToken(1))
        #expect(try registry.accept(empty) == accepted(1, total: 0, ended: 0))
        #expect(try registry.status(of: messageID(1), app: game)?.state == .finished)
        #expect(try registry.verify() == [])
    }

    // MARK: Idempotency keys

    /// Opens a registry in which an idempotency key counts for 100 ms, with device 1.
    private func registryWithShortKeys() throws -> LMDBRegistry {
        let registry = try scratch.open { $0.settings?.retention.idempotencyMilliseconds = 100 }
        try registry.apply(.register(1))
        return registry
    }

    private let sent = Message.sample(to: [byToken(1), byToken(9)], key: 7)

    @Test func `a key gives the first answer again`() throws {
        let registry = try registryWithShortKeys()
        #expect(try registry.accept(sent, now: 1_000) == accepted(1, total: 2, ended: 1))
        #expect(try registry.accept(sent, now: 1_100) == accepted(1, total: 2, ended: 1, duplicate: true))
        #expect(try registry.verify() == [])
    }

    @Test(arguments: [
        Message.sample(to: [byToken(1), byToken(9)], key: 7, payload: #"{"aps":{"alert":"Hello"}}"#),
        .sample(to: [byToken(9), byToken(1)], key: 7), .sample(to: [byToken(1)], key: 7),
    ])
    func `another body under a key is refused`(_ other: Message) throws {
        let registry = try registryWithShortKeys()
        try registry.accept(sent, now: 1_000)
        #expect(try registry.apply(.accept(other, now: timestamp(1_100))) == .refused(.idempotencyConflict))
    }

    @Test func `a key counts for its retention`() throws {
        let registry = try registryWithShortKeys()
        try registry.accept(sent, now: 1_000)
        let other = Message.sample(to: [byToken(1)], key: 7)
        #expect(try registry.accept(other, now: 1_101) == accepted(2, total: 1, ended: 0))
        #expect(try registry.verify() == [])
    }

    @Test func `a body without a key is a new message each time`() throws {
        let registry = try registryWithShortKeys()
        for number in 1...2 as ClosedRange<UInt64> {
            #expect(try registry.accept(.sample(to: [byToken(1)])) == accepted(number, total: 1, ended: 0))
        }
    }

    @Test func `a key is not refused for another trace`() throws {
        let registry = try scratch.open()
        try registry.apply(.accept(.labelled(nil, key: 7), now: timestamp(1_000)))
        var again = Message.labelled(nil, key: 7)
        again.traceParent = TraceParent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
        guard case .accepted(let answer, _) = try registry.apply(.accept(again, now: timestamp(2_000))) else {
            Issue.record("not accepted")
            return
        }
        #expect(answer.isDuplicate)
        #expect(answer.id == messageID(1))
    }

    /// An absent label changes no fingerprint: keys that were stored before there were labels stay valid.
    @Test func `a label is part of the body of a key`() throws {
        let registry = try scratch.open()
        let first = try registry.apply(.accept(.labelled("Raid", key: 5), sender: "shop", now: timestamp(1_000)))
        guard case .accepted(let accepted, _) = first else {
            Issue.record("not accepted")
            return
        }
        var again = accepted
        again.isDuplicate = true
        #expect(
            try registry.apply(.accept(.labelled("Raid", key: 5), sender: "live-ops", now: timestamp(1_001)))
                == .accepted(again, outbound: nil))
        #expect(try registry.status(of: messageID(1), app: game)?.sender == "shop")
        for label in [nil, "raid", "Raid "] {
            #expect(
                try registry.apply(.accept(.labelled(label, key: 5), now: timestamp(1_001)))
                    == .refused(.idempotencyConflict))
        }
        let known = RequestFingerprint(
            hash: UUIDBytes(high: 0x8B2B_6493_B241_BB01, low: 0xC68D_C8C8_4762_2DB1))
        #expect(RequestFingerprint(of: .labelled(nil, key: 5)) == known, "stored fingerprints have changed")
        #expect(RequestFingerprint(of: .labelled("Raid", key: 5)) != known)
    }
}
