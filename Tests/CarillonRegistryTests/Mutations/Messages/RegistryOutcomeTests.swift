import CarillonCore
import CarillonRegistry
import CarillonRegistryTestKit
import Testing

/// Records of outcomes: what they change of a message and of its devices (Protocol 10.4, 16.5).
struct RegistryOutcomeTests {
    private let scratch = RegistryDirectory()

    @Test func theFirstOutcomeStaysAndTheLastOneFinishes() throws {
        let registry = try scratch.open()
        _ = try registry.apply([.register(1), .register(2)])
        _ = try registry.apply(.accept(.sample(to: [byToken(1), byToken(2), byToken(3)]), now: timestamp(1_000)))
        let first = MessageID(rawValue: 1)
        #expect(try registry.status(of: first, app: game)?.state == .waiting)
        #expect(
            try registry.apply(.recordOutcomes(of: 1, [(1, .delivered), (1, .gaveUp)])) == .recorded(isFinished: false))
        #expect(try registry.status(of: first, app: game)?.state == .sending)
        let answers = try [
            Change.recordOutcomes(of: 1, [(0, .delivered), (1, .expired)]),
            .recordOutcomes(of: 1, [(2, .badToken)], now: 3_000),
            .recordOutcomes(of: 1, [(2, .delivered)]),
        ].map { try registry.apply($0) }
        #expect(answers == [false, true, false].map { ChangeAnswer.recorded(isFinished: $0) })
        let status = MessageStatus(
            state: .finished,
            acceptedAt: timestamp(1_000),
            finishedAt: timestamp(3_000),
            total: 3,
            outcomes: [.delivered: 1, .unregistered: 1, .badToken: 1]
        )
        #expect(try registry.status(of: first, app: game) == status)
        #expect(try registry.status(of: first, app: AppID("com.example.other")!) == nil)
        #expect(try registry.unfinished() == [])
        #expect(try registry.verify() == [])
    }

    @Test func aRecordOfOutcomesWithoutEntriesIsRefused() throws {
        let registry = try scratch.open()
        _ = try registry.apply([.register(1), .accept(.sample(to: [byToken(1)]), now: timestamp(1_000))])
        #expect(try registry.apply(.recordOutcomes(of: 2, [(0, .delivered)])) == .refused(.notFound))
        #expect(try registry.apply(.recordOutcomes(of: 1, [(0, .delivered), (1, .delivered)])) == .refused(.notFound))
        #expect(
            try registry.outcomes(of: MessageID(rawValue: 1), app: game, cursor: 0, limit: 10)?.recipients.map(
                \.outcome)
                == [.pending])
    }

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
    func aDeadTokenIsQuarantinedUnlessItRegisteredSince(_ token: DeadToken) throws {
        let registry = try scratch.open()
        _ = try registry.apply([.register(1, now: 1_000), .accept(.sample(to: [byToken(1)]), now: timestamp(1_000))])
        let end = (position: UInt16(0), outcome: token.outcome)
        _ = try registry.apply(.recordOutcomes(of: 1, [end], deadSince: token.deadSince))
        #expect(try registry.device(byToken(1), of: game)?.state == token.state)
        _ = try registry.apply(.register(1, now: 3_000))
        #expect(try registry.device(byToken(1), of: game)?.state == .active)
    }

    @Test func theDeathOfAnOldTokenDoesNotTouchTheNewOne() throws {
        let registry = try scratch.open()
        _ = try registry.apply([.register(1, now: 1_000), .accept(.sample(to: [byToken(1)]), now: timestamp(1_000))])
        _ = try registry.apply(.register(4, replaces: 1, now: 1_500))
        _ = try registry.apply(.recordOutcomes(of: 1, [(0, .tokenUnregistered)], deadSince: 1_800, registeredAt: 1_000))
        #expect(try registry.device(byToken(4), of: game)?.state == .active)
    }
}
