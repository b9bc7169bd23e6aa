import CarillonCore
import CarillonRegistry
import CarillonRegistryTestKit
import Testing

/// The silent-push budget of a device: three pushes an hour, counted when the provider has accepted them.
struct OutcomeApplierSilentPushTests {
    private let scratch = RegistryDirectory()

    /// Opens the registry, for which it is always `now`.
    private func open(at now: UInt64 = 10_000) throws -> LMDBRegistry {
        try LMDBRegistry(path: scratch.path, wallClock: { timestamp(now) })
    }

    /// Opens a registry with a device for which the provider has accepted three silent pushes, the first at 10,001.
    /// Message 4 is the fourth silent push to it.
    private func openWithFourthMessage(_ overBudget: OverBudget) throws -> LMDBRegistry {
        let registry = try open()
        try registry.apply(.register(1))
        var message = Message.sample(to: .all, pushType: .background)
        message.content.overBudget = overBudget
        for number in 1...3 as ClosedRange<UInt64> {
            try registry.apply(.accept(message, now: timestamp(1_000)))
            let page = try #require(try registry.nextPage(of: messageID(number), from: 0))
            #expect(page.recipients.map(\.finalOutcome) == [nil])
            let ended = OutcomeRecord.EndedRecipient(position: page.recipients[0].position, outcome: .delivered)
            let record = OutcomeRecord(
                message: page.message, page: 0, endedRecipients: [ended], addressed: page.addressed)
            try registry.apply(.recordOutcomes(record, now: timestamp(10_000 + number)))
        }
        try registry.apply(.accept(message, now: timestamp(1_000)))
        return registry
    }

    private func fourth(in registry: LMDBRegistry) throws -> RecipientPage {
        try #require(try registry.nextPage(of: messageID(4), from: 0))
    }

    @Test func `the fourth push of an hour is dropped`() throws {
        let registry = try openWithFourthMessage(.drop)
        #expect(try fourth(in: registry).recipients.map(\.finalOutcome) == [.overBudget])
        #expect(try registry.verify() == [])
    }

    @Test func `the fourth push of an hour waits until the first is an hour old`() throws {
        let registry = try openWithFourthMessage(.wait)
        #expect(try fourth(in: registry).recipients.map(\.finalOutcome) == [nil])
        #expect(try fourth(in: registry).recipients.map(\.dueAt) == [timestamp(3_610_001)])
    }

    @Test(arguments: [OverBudget.drop, .wait])
    func `after an hour the device has room again`(_ overBudget: OverBudget) throws {
        try openWithFourthMessage(overBudget).close()
        let page = try fourth(in: open(at: 3_610_001))
        #expect(page.recipients.map(\.finalOutcome) == [nil])
        #expect(page.recipients.map(\.dueAt) == [.zero])
    }

    @Test func `a sweep removes the times that count no more`() throws {
        let registry = try openWithFourthMessage(.drop)
        #expect(try registry.archivedDevices(of: game, after: nil, limit: 1).map(\.silentPushes.count) == [3])
        #expect(try registry.sweep(now: timestamp(9_000_000)) == .complete)
        #expect(try registry.archivedDevices(of: game, after: nil, limit: 1).map(\.silentPushes) == [[]])
        #expect(try registry.verify() == [])
    }
}
