import CarillonCore
import CarillonRegistryTestKit
import Testing

@testable import CarillonRegistry

/// The rule of REGISTER by itself (Protocol 7.1). ``RegistrationApplierTests`` has it with what is stored.
struct RegistrationRuleTests {
    /// A registration and what is stored about its tokens, as milliseconds of time; it is 100 now.
    struct Case: Sendable {
        let seenAt: UInt64
        /// The time at which the device that has the token was seen.
        var current: UInt64?
        /// The time at which the device whose token is replaced was seen.
        var replaced: UInt64?
        /// The time at which the token was declared dead.
        var declaredDeadAt: UInt64?

        private var rule: RegistrationRule { RegistrationRule(seenAt: timestamp(seenAt), now: timestamp(100)) }

        var isStale: Bool {
            rule.isStale(current: current.map { timestamp($0) }, replaced: replaced.map { timestamp($0) })
        }

        var isTokenDead: Bool {
            rule.isTokenDead(
                current: current.map { timestamp($0) }, replaced: replaced.map { timestamp($0) },
                declaredDeadAt: { declaredDeadAt.map { timestamp($0) } })
        }
    }

    /// A registration that is seen now, at 100, wins over a tombstone from the future; an earlier one does not.
    @Test(
        arguments: [
            (seenAt: 49, tombstone: 50, isStale: true), (seenAt: 50, tombstone: 50, isStale: true),
            (seenAt: 51, tombstone: 50, isStale: false), (seenAt: 100, tombstone: 99, isStale: false),
            (seenAt: 100, tombstone: 100, isStale: true), (seenAt: 99, tombstone: 101, isStale: true),
            (seenAt: 100, tombstone: 101, isStale: false),
        ] as [(seenAt: UInt64, tombstone: UInt64, isStale: Bool)])
    func `a tombstone refuses a registration that is not newer`(
        _ row: (seenAt: UInt64, tombstone: UInt64, isStale: Bool)
    ) {
        let rule = RegistrationRule(seenAt: timestamp(row.seenAt), now: timestamp(100))
        let tombstone = Tombstone(unregisteredAt: timestamp(row.tombstone), writtenAt: timestamp(1))
        #expect(rule.isStale(after: tombstone) == row.isStale)
    }

    @Test(arguments: [(0, 100), (1, 1), (100, 100), (101, 100)] as [(UInt64, UInt64)])
    func `zero and a time in the future mean now`(_ given: UInt64, effective: UInt64) {
        #expect(timestamp(given).effective(at: timestamp(100)) == timestamp(effective))
    }

    @Test(arguments: [
        Case(seenAt: 49, current: 50), Case(seenAt: 49, replaced: 50), Case(seenAt: 60, current: 70, replaced: 50),
        Case(seenAt: 60, current: 50, replaced: 70),
    ])
    func `a registration older than its device is stale`(_ registration: Case) {
        #expect(registration.isStale)
    }

    @Test(arguments: [
        Case(seenAt: 50, current: 50), Case(seenAt: 51, current: 50), Case(seenAt: 50, replaced: 50),
        Case(seenAt: 70, current: 70, replaced: 70), Case(seenAt: 50),
    ])
    func `a registration as new as its device is not stale`(_ registration: Case) {
        #expect(!registration.isStale)
    }

    /// A clock that was ahead must not shut a device out until its time has come.
    @Test func `a stored time in the future counts as now`() {
        #expect(!Case(seenAt: 100, current: 900).isStale)
        #expect(Case(seenAt: 99, current: 900).isStale)
    }

    @Test(arguments: [
        Case(seenAt: 60, current: 50, declaredDeadAt: 70), Case(seenAt: 70, current: 50, declaredDeadAt: 70),
    ])
    func `a late retry leaves a dead token in quarantine`(_ registration: Case) {
        #expect(registration.isTokenDead)
    }

    @Test(arguments: [
        Case(seenAt: 71, current: 50, declaredDeadAt: 70), Case(seenAt: 100, current: 50, declaredDeadAt: 900),
        Case(seenAt: 60, current: 50, replaced: 50, declaredDeadAt: 70),
        Case(seenAt: 60, replaced: 50, declaredDeadAt: 70),
        Case(seenAt: 60, current: 50),
    ])
    func `a token seen after its death or a new token is alive`(_ registration: Case) {
        #expect(!registration.isTokenDead)
    }
}
