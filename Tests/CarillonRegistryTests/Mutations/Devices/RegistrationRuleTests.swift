import CarillonCore
import CarillonRegistryTestKit
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

    private static let accepted = RegistrationRule.Judgement.accepted(isDead: false)
    private static let dead = RegistrationRule.Judgement.accepted(isDead: true)

    /// A registration, the stored state, and what the rule says.
    struct Case: CustomTestStringConvertible {
        let seenAt: UInt64
        let stored: Stored
        let judgement: RegistrationRule.Judgement

        var testDescription: String { "seen at \(seenAt), \(stored)" }
    }

    /// A tombstone from the future gives way to a registration of now, which is 100, and to no earlier one.
    @Test(
        arguments: [
            (49, 50, true), (50, 50, true), (51, 50, false), (100, 99, false), (100, 100, true), (99, 101, true),
            (100, 101, false),
        ] as [(UInt64, UInt64, Bool)])
    func aTombstoneRefusesARegistrationThatIsNotNewer(_ seenAt: UInt64, tombstone: UInt64, isStale: Bool) {
        let rule = RegistrationRule(seenAt: timestamp(seenAt), now: timestamp(100))
        #expect(rule.isStale(after: Tombstone(at: timestamp(tombstone), writtenAt: timestamp(1))) == isStale)
    }

    @Test(arguments: [(0, 100), (1, 1), (100, 100), (101, 100)] as [(UInt64, UInt64)])
    func zeroAndATimeInTheFutureMeanNow(_ given: UInt64, effective: UInt64) {
        #expect(timestamp(given).effective(at: timestamp(100)) == timestamp(effective))
    }

    @Test(
        arguments: [
            Case(seenAt: 49, stored: Stored(current: 50), judgement: .stale),
            Case(seenAt: 50, stored: Stored(current: 50), judgement: accepted),
            Case(seenAt: 51, stored: Stored(current: 50), judgement: accepted),
            Case(seenAt: 49, stored: Stored(replaced: 50), judgement: .stale),
            Case(seenAt: 50, stored: Stored(replaced: 50), judgement: accepted),
            Case(seenAt: 60, stored: Stored(current: 70, replaced: 50), judgement: .stale),
            Case(seenAt: 60, stored: Stored(current: 50, replaced: 70), judgement: .stale),
            Case(seenAt: 70, stored: Stored(current: 70, replaced: 70), judgement: accepted),
        ])
    func aRegistrationOlderThanItsDeviceIsStale(_ one: Case) {
        #expect(Self.judgement(seenAt: one.seenAt, one.stored) == one.judgement)
    }

    /// A clock that was ahead must not shut a device out until its time has come.
    @Test func aStoredTimeInTheFutureCountsAsNow() {
        #expect(Self.judgement(seenAt: 100, Stored(current: 900)) == Self.accepted)
        #expect(Self.judgement(seenAt: 99, Stored(current: 900)) == .stale)
    }

    @Test(
        arguments: [
            Case(seenAt: 60, stored: Stored(current: 50, death: 70), judgement: dead),
            Case(seenAt: 70, stored: Stored(current: 50, death: 70), judgement: dead),
            Case(seenAt: 71, stored: Stored(current: 50, death: 70), judgement: accepted),
            Case(seenAt: 100, stored: Stored(current: 50, death: 900), judgement: accepted),
            Case(seenAt: 60, stored: Stored(current: 50, replaced: 50, death: 70), judgement: accepted),
            Case(seenAt: 60, stored: Stored(replaced: 50, death: 70), judgement: accepted),
        ])
    func aLateRetryLeavesADeadTokenInQuarantine(_ one: Case) {
        #expect(Self.judgement(seenAt: one.seenAt, one.stored) == one.judgement)
    }

    @Test func aStaleRegistrationIsRefusedAsStaleAlsoAboveALimit() {
        #expect(Self.judgement(seenAt: 49, Stored(current: 50, exceeded: .topics)) == .stale)
        #expect(Self.judgement(seenAt: 50, Stored(current: 50, death: 70, exceeded: .topics)) == .tooMany(.topics))
        #expect(Self.judgement(seenAt: 50, Stored(exceeded: .attributes)) == .tooMany(.attributes))
    }
}
