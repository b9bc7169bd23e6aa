import CarillonCore
import CarillonRegistry
import CarillonRegistryTestKit
import Testing

/// The reports of providers about tokens (Protocol 16.5): a dead token is quarantined, and a device moves to the other
/// environment if APNs has accepted its token there.
struct TokenReportApplierTests {
    private let scratch = RegistryDirectory()

    // MARK: Dead tokens

    /// A refused token, and the state of its device, which registered at 1,000.
    struct DeadToken: CustomTestStringConvertible {
        let outcome: Outcome
        /// The time since which the token is dead, if the provider says it.
        var deadSince: UInt64?
        let state: DeviceState

        var testDescription: String { "\(outcome) since \(deadSince.map(String.init) ?? "no known time")" }
    }

    @Test(arguments: [
        DeadToken(outcome: .tokenUnregistered, deadSince: 999, state: .active),
        DeadToken(outcome: .tokenUnregistered, deadSince: 1_000, state: .quarantined),
        DeadToken(outcome: .tokenExpired, deadSince: 1_001, state: .quarantined),
        DeadToken(outcome: .tokenUnregistered, state: .active),
        DeadToken(outcome: .badToken, deadSince: 2_000, state: .quarantined),
        DeadToken(outcome: .badToken, state: .active),
    ])
    func `a dead token is quarantined unless it registered since`(_ token: DeadToken) throws {
        let registry = try scratch.open()
        try registry.apply([.register(1, now: 1_000), .accept(.sample(to: [byToken(1)]), now: timestamp(1_000))])
        let end = (position: UInt16(0), outcome: token.outcome)
        try registry.apply(.recordOutcomes(of: 1, [end], deadSince: token.deadSince))
        #expect(try registry.device(byToken(1), of: game)?.state == token.state)
        try registry.apply(.register(1, now: 3_000))
        #expect(try registry.device(byToken(1), of: game)?.state == .active)
    }

    @Test func `the death of an old token does not touch the new one`() throws {
        let registry = try scratch.open()
        try registry.apply([.register(1, now: 1_000), .accept(.sample(to: [byToken(1)]), now: timestamp(1_000))])
        try registry.apply(.register(4, replaces: 1, now: 1_500))
        try registry.apply(.recordOutcomes(of: 1, [(0, .tokenUnregistered)], deadSince: 1_800, registeredAt: 1_000))
        #expect(try registry.device(byToken(4), of: game)?.state == .active)
    }

    // MARK: Moved devices

    /// The report that the push of message 1 to the device that had registered at 1,000 was accepted in the sandbox.
    private static let deliveredInTheSandbox: Change = {
        let ended = OutcomeRecord.EndedRecipient(
            position: 0, outcome: .delivered, movedTo: .sandbox, registeredAt: timestamp(1_000))
        let record = OutcomeRecord(message: messageID(1), page: 0, endedRecipients: [ended])
        return .recordOutcomes(record, now: timestamp(2_000))
    }()

    @Test func `a token that APNs has accepted in the sandbox moves its device`() throws {
        let registry = try scratch.open()
        try registry.apply([.register(1), .accept(.sample(to: [byToken(1)]), now: timestamp(1_000))])
        try registry.apply(Self.deliveredInTheSandbox)
        #expect(try registry.device(.id(deviceID(1)), of: game)?.address.environment == .sandbox)
        #expect(try registry.device(byToken(1), of: game) == nil)
        #expect(try registry.explain(Condition("environment == 'sandbox'"), app: game).devices == 1)
        #expect(try registry.verify() == [])
    }

    /// The device of the sandbox is the same one, registered a second time.
    @Test func `a device whose token is registered in the sandbox is quarantined`() throws {
        let registry = try scratch.open()
        var elsewhere = address(1)
        elsewhere.environment = .sandbox
        try registry.apply([
            .register(1), .register(Registration(app: game, address: elsewhere), now: timestamp(1_000)),
            .accept(.sample(to: [byToken(1)]), now: timestamp(1_000)),
        ])
        try registry.apply(Self.deliveredInTheSandbox)
        #expect(try registry.device(byToken(1), of: game)?.state == .quarantined)
        #expect(try registry.device(.address(elsewhere), of: game)?.id == deviceID(2))
        #expect(try registry.explain(Condition("environment == 'sandbox'"), app: game).devices == 1)
        #expect(try registry.verify() == [])
    }

    @Test func `a device that has registered since is not moved`() throws {
        let registry = try scratch.open()
        try registry.apply([.register(1), .accept(.sample(to: [byToken(1)]), now: timestamp(1_000))])
        try registry.apply(.register(1, now: 1_500))
        try registry.apply(Self.deliveredInTheSandbox)
        #expect(try registry.device(byToken(1), of: game)?.id == deviceID(1))
    }

    private func subscribed(
        _ device: DeviceReference, in registry: LMDBRegistry
    ) throws -> ChangeAnswer.MembershipChange {
        guard case .membership(let answer) = try registry.apply(.subscribe(["level5"], devices: [device])) else {
            Issue.record("refused")
            return ChangeAnswer.MembershipChange()
        }
        return answer
    }

    /// Bulk ingest has the token index cache.
    @Test func `a device that has moved has its old address no longer`() throws {
        let registry = try scratch.open { $0.ingestInBulk() }
        try registry.apply(.register(1))
        #expect(try subscribed(byToken(1), in: registry).device == deviceID(1))
        try registry.apply(.accept(.sample(to: [byToken(1)]), now: timestamp(1_000)))
        try registry.apply(Self.deliveredInTheSandbox)
        var moved = address(1)
        moved.environment = .sandbox
        #expect(try subscribed(byToken(1), in: registry).unknown == [0])
        #expect(try subscribed(.address(moved), in: registry).device == deviceID(1))
        #expect(try registry.verify() == [])
    }

    /// The move is the first change that needs a set of the app, and the set is a new one.
    @Test func `a device moves after a restart`() throws {
        var registry = try scratch.open()
        try registry.apply([.register(1), .accept(.sample(to: [byToken(1)]), now: timestamp(1_000))])
        registry.close()
        registry = try scratch.open()
        #expect(try registry.apply(Self.deliveredInTheSandbox) == .outcomesRecorded(isFinished: true))
        #expect(try registry.device(.id(deviceID(1)), of: game)?.address.environment == .sandbox)
        #expect(try registry.verify() == [])
    }
}
