import CarillonCore
import CarillonLMDB
import CarillonRegistryTestKit
import Testing

@testable import CarillonRegistry

/// The settings that decide answers are stored with the registry, so that a replay and every node use the same.
struct RegistrySettingsTests {
    private let scratch = RegistryDirectory()

    @Test func theSettingsOfAStartAreStored() throws {
        try open(retainingEvents: 5).close()
        #expect(try stored()?.maximumEvents == 5)
        try open(retainingEvents: 7).close()
        #expect(try stored()?.maximumEvents == 7)
        try scratch.open { $0.settings = nil }.close()
        #expect(try stored()?.maximumEvents == 7)
    }

    /// The database is of the time before there were stored settings.
    @Test func aDatabaseWithoutSettingsTakesThoseOfTheProcess() throws {
        try open(retainingEvents: 5).close()
        try edit { try $0.delete(Array("settings".utf8).span, in: $1.meta.database) }
        #expect(try stored() == nil)
        try open(retainingEvents: 7).close()
        #expect(try stored()?.maximumEvents == 7)
    }

    @Test(
        arguments: [[], [1], Array(repeating: 0xFF, count: 81), [1] + Array(repeating: 0xFF, count: 80)] as [[UInt8]])
    func settingsThatCannotBeReadAreReplaced(bytes: [UInt8]) throws {
        try open(retainingEvents: 5).close()
        try edit { try $0.put(bytes.span, for: Array("settings".utf8).span, in: $1.meta.database) }
        #expect(throws: RegistryError.self) { try stored() }
        try open(retainingEvents: 7).close()
        #expect(try stored()?.maximumEvents == 7)
    }

    /// The changes after that of the settings use them; no start is needed.
    @Test func changesUseTheSettingsOfThatMoment() throws {
        let registry = try open(retainingEvents: 5)
        var settings = RegistrySettings()
        settings.maximumEvents = 2
        let note = Change.appendEvent(Event(at: timestamp(1), kind: .connectionUp))
        _ = try registry.apply([note, note, note, note])
        #expect(try registry.oldestEvent() == 1)
        #expect(try registry.apply([.configure(settings), note, note]) == [.applied, .applied, .applied])
        #expect(try registry.oldestEvent() == 5)
        #expect(try registry.verify() == [])
    }

    /// The numbers of sets are part of the state, and follow from the request.
    @Test(arguments: [1, 2])
    func newTopicsAreNumberedInTheOrderOfTheRequest(devices: UInt8) throws {
        let registry = try scratch.open()
        for token in 1...devices { _ = try registry.apply(.register(token)) }
        let names = (1...20).map { "t/\($0 * 7 % 20)" }
        _ = try registry.apply(
            .subscribe(names, devices: (1...devices).map { byToken($0) }, groups: devices == 1 ? [] : ["g"]))
        let numbers = try registry.readSnapshot { transaction, tables in
            try names.map { try tables.sets.get(.topic(TopicName($0)!), app: 1, in: transaction)?.number }
        }
        #expect(numbers.compactMap { $0 }.count == names.count)
        #expect(numbers.compactMap { $0 } == numbers.compactMap { $0 }.sorted())
    }

    // MARK: Helpers

    private func open(retainingEvents count: Int) throws -> LMDBRegistry {
        try scratch.open { $0.settings?.maximumEvents = count }
    }

    private func stored() throws -> RegistrySettings? {
        var found: RegistrySettings?
        try scratch.edit { environment, tables in
            found = try environment.read { (transaction) throws in try tables.meta.settings(in: transaction) }
        }
        return found
    }

    private func edit(_ body: (inout WriteTransaction, Tables) throws -> Void) throws {
        try scratch.edit { environment, tables in try environment.write { try body(&$0, tables) } }
    }
}
