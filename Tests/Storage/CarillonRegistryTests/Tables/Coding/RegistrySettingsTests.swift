import CarillonCore
import CarillonLMDB
import CarillonRegistryTestKit
import Testing

@testable import CarillonRegistry

/// The settings that decide answers are stored with the registry, so that a replay and every node use the same.
struct RegistrySettingsTests {
    private let scratch = RegistryDirectory()

    @Test func `the settings of a start are stored`() throws {
        try open(retainingEvents: 5).close()
        #expect(try stored()?.maximumEvents == 5)
        try open(retainingEvents: 7).close()
        #expect(try stored()?.maximumEvents == 7)
        try scratch.open { $0.settings = nil }.close()
        #expect(try stored()?.maximumEvents == 7)
    }

    /// The database is of the time before there were stored settings.
    @Test func `a database without settings takes those of the process`() throws {
        try open(retainingEvents: 5).close()
        try edit { try $0.delete(Array("settings".utf8).span, in: $1.meta.database) }
        #expect(try stored() == nil)
        try open(retainingEvents: 7).close()
        #expect(try stored()?.maximumEvents == 7)
    }

    @Test(
        arguments: [[], [1], Array(repeating: 0xFF, count: 81), [1] + Array(repeating: 0xFF, count: 80)] as [[UInt8]])
    func `settings that cannot be read are replaced`(bytes: [UInt8]) throws {
        try open(retainingEvents: 5).close()
        try edit { try $0.put(bytes.span, for: Array("settings".utf8).span, in: $1.meta.database) }
        #expect(throws: RegistryError.self) { try stored() }
        try open(retainingEvents: 7).close()
        #expect(try stored()?.maximumEvents == 7)
    }

    /// The first change behind the one with the settings uses them already, in the same batch; no start is needed.
    @Test func `changes use the settings of that moment`() throws {
        let registry = try open(retainingEvents: 5)
        var settings = RegistrySettings()
        settings.maximumEvents = 2
        let note = Change.appendEvent(Event(at: timestamp(1), kind: .connectionUp))
        try registry.apply([note, note, note, note])
        #expect(try registry.oldestEventSequence() == 1)
        #expect(try registry.apply([.configure(settings), note, note]) == [.applied, .applied, .applied])
        #expect(try registry.oldestEventSequence() == 5)
        #expect(try registry.verify() == [])
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
