import Testing

@testable import CarillonCluster

/// The entry that says what a log begins with, as replicas with and without data take it.
struct InitialStateTests {
    @Test func `a replica with data cannot follow a log that begins empty`() throws {
        let empty = try #require(InitialState(kind: .empty, parameters: [1]))
        #expect(empty.meaning(hasForeignData: false, parameters: [2]) == .apply)
        #expect(empty.meaning(hasForeignData: true, parameters: [1]) == .stop)
    }

    @Test func `only the replica whose data were imported goes on with them`() throws {
        let imported = try #require(InitialState(kind: .imported, parameters: [1]))
        #expect(imported.meaning(hasForeignData: true, parameters: [1]) == .apply)
        #expect(imported.meaning(hasForeignData: true, parameters: [2]) == .stop)
        #expect(imported.meaning(hasForeignData: false, parameters: [1]) == .beginWithSnapshot)
    }
}
