import CarillonCore
import Testing

@testable import CarillonRegistry

/// The rule of REGISTER by itself (Protocol 7.1). ``RegisterTests`` has it with what is stored.
struct RegistrationRuleTests {
    /// The stored state, in milliseconds of time; it is 100 now.
    struct Stored: Sendable {
        /// The time at which the device that has the token was seen.
        var current: UInt64?
        /// The time at which the device whose token is replaced was seen.
        var replaced: UInt64?
        /// The time at which the token was declared dead.
        var death: UInt64?
        var exceeded: ChangeAnswer.LimitedItem?
    }

    private static func judgement(seenAt: UInt64, _ stored: Stored) -> RegistrationRule.Judgement {
        return RegistrationRule(seenAt: timestamp(seenAt), now: timestamp(100)).judge(
            current: stored.current.map(timestamp), replaced: stored.replaced.map(timestamp),
            exceeded: { stored.exceeded },
            death: { stored.death.map(timestamp) })
    }

    private static let stored = RegistrationRule.Judgement.accepted(isDead: false)
    private static let dead = RegistrationRule.Judgement.accepted(isDead: true)

    @Test(
        arguments: [
            (49, Stored(current: 50), .stale), (50, Stored(current: 50), stored), (51, Stored(current: 50), stored),
            (49, Stored(replaced: 50), .stale), (50, Stored(replaced: 50), stored),
            (60, Stored(current: 70, replaced: 50), .stale), (60, Stored(current: 50, replaced: 70), .stale),
            (70, Stored(current: 70, replaced: 70), stored),
        ] as [(UInt64, Stored, RegistrationRule.Judgement)])
    func whatIsOlderThanADeviceItChangesIsStale(
        seenAt: UInt64, stored: Stored, expected: RegistrationRule.Judgement
    ) {
        #expect(Self.judgement(seenAt: seenAt, stored) == expected)
    }

    /// A clock that was ahead must not shut a device out until its time has come.
    @Test func aStoredTimeInTheFutureCountsAsNow() {
        #expect(Self.judgement(seenAt: 100, Stored(current: 900)) == Self.stored)
        #expect(Self.judgement(seenAt: 99, Stored(current: 900)) == .stale)
    }

    @Test(
        arguments: [
            (60, Stored(current: 50, death: 70), dead), (70, Stored(current: 50, death: 70), dead),
            (71, Stored(current: 50, death: 70), stored), (100, Stored(current: 50, death: 900), stored),
            (60, Stored(current: 50, replaced: 50, death: 70), stored),
            (60, Stored(replaced: 50, death: 70), stored),
        ] as [(UInt64, Stored, RegistrationRule.Judgement)])
    func aLateRetryLeavesADeadTokenInQuarantine(
        seenAt: UInt64, stored: Stored, expected: RegistrationRule.Judgement
    ) {
        #expect(Self.judgement(seenAt: seenAt, stored) == expected)
    }

    @Test func aLimitIsNotJudgedForWhatIsStale() {
        #expect(Self.judgement(seenAt: 49, Stored(current: 50, exceeded: .topics)) == .stale)
        #expect(Self.judgement(seenAt: 50, Stored(current: 50, death: 70, exceeded: .topics)) == .tooMany(.topics))
        #expect(Self.judgement(seenAt: 50, Stored(exceeded: .attributes)) == .tooMany(.attributes))
    }
}
