import CarillonCluster
import CarillonCore
import Testing

@testable import CarillonPostgreSQL

/// The values of rows, whose bytes come from outside.
struct RowsTests {
    @Test func rowsOfAnyBytesAreReadOrRefused() throws {
        let row = Rows([[[1], [0xFF, 0xFF], [0, 0, 0, 9], Value.int(-1).encoded, [1, 2, 3], nil, [0xFF]]]).row(0)
        #expect(try (0...3).map { try row.int($0) } == [1, -1, 9, -1])
        for column in [3, 4, 5, 7] { #expect(throws: LogError.self) { _ = try row.unsigned(column) } }
        #expect(throws: LogError.self) { _ = try row.text(6) }
        #expect(throws: LogError.self) { _ = try row.uuid(0) }
        #expect(throws: LogError.self) { _ = try row.member(0) }
        #expect(throws: LogError.self) { _ = try Rows().row(3).int(0) }
        #expect(throws: LogError.self) { _ = try row.narrow(3, as: UInt16.self) }
    }
}
