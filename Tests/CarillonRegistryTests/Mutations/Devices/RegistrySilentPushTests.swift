import CarillonCore
import CarillonRegistry
import CarillonRegistryTestKit
import Synchronization
import Testing

/// The silent-push budget of a device, hour by hour: which push is over it.
struct RegistrySilentPushTests {
    private let scratch = RegistryDirectory()

    @Test(arguments: [OverBudget.drop, .wait])
    func theFourthSilentPushOfAnHourIsOverBudget(_ overBudget: OverBudget) throws {
        let clock = Mutex<UInt64>(10_000)
        var registry = try LMDBRegistry(path: scratch.path, wallClock: { timestamp(clock.withLock { $0 }) })
        _ = try registry.apply(.register(1))
        var message = Message.sample(toAll: .all, pushType: .background)
        message.content.overBudget = overBudget
        for number in UInt64(1)...4 {
            _ = try registry.apply(.accept(message, now: timestamp(1_000)))
            let page = try #require(try registry.nextPage(of: MessageID(rawValue: number), from: 0))
            #expect(page.recipients[0].ending == (number == 4 && overBudget == .drop ? .overBudget : nil))
            #expect(page.recipients[0].dueAt == (number == 4 && overBudget == .wait ? timestamp(3_610_001) : .zero))
            guard number < 4 else { break }
            let entry = OutcomeRecord.RecipientEnd(position: page.recipients[0].position, outcome: .delivered)
            let record = OutcomeRecord(
                message: page.message, page: page.number, entries: [entry], addressed: page.addressed)
            _ = try registry.apply(.recordOutcomes(record, now: timestamp(10_000 + number)))
        }
        #expect(try registry.verify() == [])
        registry.close()
        clock.withLock { $0 = 3_610_001 }
        registry = try LMDBRegistry(path: scratch.path, wallClock: { timestamp(clock.withLock { $0 }) })
        let page = try #require(try registry.nextPage(of: MessageID(rawValue: 4), from: 0))
        #expect(page.recipients[0].ending == nil)
        #expect(page.recipients[0].dueAt == .zero)
        #expect(try !registry.sweep(now: timestamp(9_000_000)))
        #expect(try registry.verify() == [])
    }
}
